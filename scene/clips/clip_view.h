#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_VIEW_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_VIEW_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/clips/clip_slot.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/values/time_samples.h"

namespace stagedoor {

// The part of one open clip layer that a clip set remembers: the samples of its attributes, each
// looked up once. Corresponds to an open Usd_Clip of OpenUSD. Thread-safe; use it only while its
// slot is pinned.
class ClipView final : public ClipSlot::View {
 public:
  // `attributes`: the number of specs in the set's manifest, which bounds the ordinals.
  ClipView(std::shared_ptr<const Layer> layer, size_t attributes)
      : layer_(std::move(layer)), chunks_((attributes + kChunk - 1) / kChunk) {}
  ~ClipView() override;

  const std::shared_ptr<const Layer>& layer() const { return layer_; }
  // The samples of the attribute with the number `ordinal` in the manifest, which is at `path` in
  // the clip; null if the clip has none. Damaged data is a warning on the context.
  const TimeSamples* Samples(RequestContext& context, uint32_t ordinal, Path path) const {
    const Chunk* chunk = chunks_[ordinal / kChunk].load(std::memory_order_acquire);
    const TimeSamples* known =
        chunk ? (*chunk)[ordinal % kChunk].load(std::memory_order_acquire) : nullptr;
    if (known == nullptr) return FindSamples(context, ordinal, path);
    return known == kNone ? nullptr : known;
  }
  // As Samples, without remembering the result, for callers that ask once.
  RefPtr<const TimeSamples> PeekSamples(RequestContext& context, Path path) const;

 private:
  static constexpr size_t kChunk = 32;
  using Chunk = std::array<std::atomic<const TimeSamples*>, kChunk>;
  // Marks an attribute that was looked up and has no samples.
  static inline const TimeSamples* const kNone = reinterpret_cast<const TimeSamples*>(1);

  const TimeSamples* FindSamples(RequestContext& context, uint32_t ordinal, Path path) const;

  const std::shared_ptr<const Layer> layer_;
  mutable std::vector<std::atomic<Chunk*>> chunks_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_VIEW_H_
