#include "scene/clips/clip_view.h"

#include <string>

#include "base/request_scope.h"
#include "base/strings.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {

ClipView::~ClipView() {
  for (std::atomic<Chunk*>& slot : chunks_) {
    std::unique_ptr<Chunk> chunk(slot.load(std::memory_order_relaxed));
    if (!chunk) continue;
    for (auto& samples : *chunk) {
      const TimeSamples* held = samples.load(std::memory_order_relaxed);
      if (held != nullptr && held != kNone) held->Unref();
    }
  }
}

RefPtr<const TimeSamples> ClipView::PeekSamples(RequestContext& context, Path path) const {
  // 12.3.4: values in clips do not compose, so the spec at the path is all there is.
  const SpecId spec = layer_->tree().Find(path);
  if (spec == kNoSpec || layer_->tree().type(spec) != SpecType::kAttribute) return {};
  const Value value = layer_->Get(spec, Fields().timeSamples);
  if (value.is_invalid()) {
    context.Warn({Warning::Kind::kInvalidValue, layer_->identifier(), path.ToString(),
                  Concat("clip ", Quoted(layer_->identifier()), ", ", path.ToString(), ": ",
                         value.invalid_reason())});
  }
  const TimeSamples* samples = value.samples();
  return samples && samples->size() > 0 ? RefPtr<const TimeSamples>::Share(samples)
                                        : RefPtr<const TimeSamples>();
}

const TimeSamples* ClipView::FindSamples(RequestContext& context, uint32_t ordinal,
                                         Path path) const {
  std::atomic<Chunk*>& slot = chunks_[ordinal / kChunk];
  Chunk* chunk = slot.load(std::memory_order_acquire);
  // Without a lock: of several threads that look for the same samples, the first one to publish
  // its result wins, and the others use that.
  if (chunk == nullptr) {
    auto made = std::make_unique<Chunk>();
    if (slot.compare_exchange_strong(chunk, made.get(), std::memory_order_acq_rel)) {
      chunk = made.release();
    }
  }
  // No work scope: the samples belong to the clip, whichever stage happens to ask first.
  const RequestScope::Guard everybody(RequestScope::Current().WithOwner(nullptr));
  RefPtr<const TimeSamples> found = PeekSamples(context, path);
  const TimeSamples* wanted = found ? found.get() : kNone;
  const TimeSamples* known = nullptr;
  if ((*chunk)[ordinal % kChunk].compare_exchange_strong(known, wanted,
                                                         std::memory_order_acq_rel)) {
    // The table holds the reference from here on.
    known = wanted;
    (void)found.release();
  }
  return known == kNone ? nullptr : known;
}

}  // namespace stagedoor
