#include "scene/clips/clip_set.h"

#include <algorithm>
#include <new>
#include <span>

#include "base/hash.h"
#include "base/out_of_memory.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/clips/clip_manifest_builder.h"
#include "scene/layer/field_keys.h"
#include "scene/values/layer_offset.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

// How many clips are opened ahead of the one that is read.
constexpr size_t kReadAhead = 4;

// The cost of saying which version of a clip there is.
constexpr uint64_t kStepsPerVersion = 16;

size_t HashTimes(std::span<const double> times) {
  return HashBytes({reinterpret_cast<const char*>(times.data()), times.size() * sizeof(double)});
}

// A slot that is emptied at the end of its scope.
struct OwnSlot {
  explicit OwnSlot(ClipCache& from) : cache(from) {}
  OwnSlot(const OwnSlot&) = delete;
  OwnSlot& operator=(const OwnSlot&) = delete;
  ~OwnSlot() { cache.Release({&slot, 1}); }

  ClipCache& cache;
  ClipSlot slot;
};

}  // namespace

ClipSet::ClipSet(ClipCache& cache, TaskGroup* read_ahead, Definition definition)
    : cache_(cache),
      read_ahead_(read_ahead),
      definition_(std::move(definition)),
      slots_(std::make_unique<ClipSlot[]>(definition_.assets.size())) {
  // The path belongs to the stage that happened to define the set first.
  paths_->Keep(definition_.clip_prim);
}

ClipSet::~ClipSet() { cache_.Release({slots_.get(), definition_.assets.size()}); }

absl::Status ClipSet::Fill(RequestContext& context, size_t asset, ClipSlot& slot,
                           bool prefetch) const {
  const std::string identifier = cache_.registry().Identify(
      context, definition_.resolver_context, definition_.assets[asset], definition_.anchor.get());
  // A view has a place for each spec of the manifest. The set's own slots are filled only once the
  // manifest is loaded: attributes and prefetches need it first.
  const Layer* manifest = ready_manifest_.load(std::memory_order_acquire);
  const size_t attributes = manifest ? manifest->tree().size() : 0;
  return cache_.Fill(
      context, definition_.resolver_context, identifier, slot,
      [attributes](const std::shared_ptr<const Layer>& layer) {
        return std::make_unique<ClipView>(layer, attributes);
      },
      prefetch);
}

void ClipSet::WarnOfClip(RequestContext& context, size_t asset, const absl::Status& status) const {
  if (status.ok()) return;
  const std::string& path = definition_.assets[asset];
  Warn(context, path, Concat("clip layer @", path, "@"), status);
}

void ClipSet::Warn(RequestContext& context, const std::string& asset, std::string_view what,
                   const absl::Status& status) {
  // The error of a request that has ended means nothing about the file.
  if (!context.Check().ok()) return;
  context.Warn(
      {absl::IsNotFound(status) ? Warning::Kind::kMissingAsset : Warning::Kind::kUnreadableAsset,
       asset, "", Concat("cannot open ", what, ": ", Message(status))});
}

ClipSet::Pin ClipSet::OpenUncached(RequestContext& context, size_t entry) const {
  const uint32_t asset = timing().asset(entry);
  // First, so that the next clips open while this thread opens its own.
  if (read_ahead_ != nullptr) ReadAhead(entry);
  ClipSlot& slot = slots_[asset];
  const absl::Status status = Fill(context, asset, slot, /*prefetch=*/false);
  if (status.ok()) return Pin(&slot, static_cast<const ClipView*>(slot.pinned_view()));
  WarnOfClip(context, asset, status);
  return Pin();
}

void ClipSet::ReadAhead(size_t entry) const {
  const int64_t last = last_opened_.exchange(static_cast<int64_t>(entry));
  const int64_t step = static_cast<int64_t>(entry) - last;
  // Only a step to a neighbor is playback; a jump does not predict the next read.
  if (last < 0 || (step != 1 && step != -1) || reading_ahead_.exchange(true)) return;
  // Best effort: if memory is exhausted, readers open the clips themselves.
  try {
    read_ahead_->Schedule([self = shared_from_this(), entry, step] {
      (void)CatchOutOfMemory([&] {
        self->OpenAhead(entry, step);
        return absl::OkStatus();
      });
      self->reading_ahead_.store(false);
    });
  } catch (const std::bad_alloc&) {
    reading_ahead_.store(false);
  }
}

void ClipSet::OpenAhead(size_t entry, int64_t step) const {
  // A context of its own: the task outlives the request, and its failures do not concern it.
  RequestContext context;
  const int64_t count = static_cast<int64_t>(timing().size());
  for (size_t ahead = 1; ahead <= kReadAhead; ++ahead) {
    const int64_t next = static_cast<int64_t>(entry) + step * static_cast<int64_t>(ahead);
    if (next < 0 || next >= count) break;
    const uint32_t asset = timing().asset(static_cast<size_t>(next));
    ClipSlot& slot = slots_[asset];
    if (Fill(context, asset, slot, /*prefetch=*/true).ok()) slot.Unpin();
  }
}

void ClipSet::Prefetch(RequestContext& context, double first, double last,
                       PrefetchTally* tally) const {
  // The manifest first, because it sizes the views that fill the slots.
  if (timing().size() == 0 || !Manifest(context)) return;
  const LayerOffset inverse = definition_.offset.Inverse();
  // Sorted again, because a negative scale swaps the ends of the interval.
  const auto [begin, end] = std::minmax({inverse.Apply(first), inverse.Apply(last)});
  for (size_t entry = timing().ActiveAt(begin); entry < timing().size(); ++entry) {
    if (timing().start(entry) > end || !context.Check().ok()) break;
    if (!cache_.HasRoomAfter(*tally)) {
      ++tally->skipped;
      continue;
    }
    const uint32_t asset = timing().asset(entry);
    ClipSlot& slot = slots_[asset];
    if (!Fill(context, asset, slot, /*prefetch=*/true).ok()) continue;
    ++tally->opened;
    tally->bytes += cache_.BytesOf(slot);
    slot.Unpin();
  }
}

void ClipSet::VisitVersions(RequestContext& context, double first, double last,
                            const std::function<void(std::string_view)>& take) const {
  RequestNotes::NoteClipsOfCurrent();
  take(name());
  if (timing().size() == 0) return;
  const LayerOffset inverse = definition_.offset.Inverse();
  const auto [begin, end] = std::minmax({inverse.Apply(first), inverse.Apply(last)});
  size_t entry = timing().ActiveAt(begin);
  // The samples around an interval may be in the clips before and after it.
  const bool has_neighbors = begin != end;
  if (has_neighbors && entry > 0) --entry;
  for (bool is_last = false; entry < timing().size() && !is_last; ++entry) {
    if (!context.Spend(kStepsPerVersion).ok()) return;
    is_last = timing().start(entry) > end;
    if (is_last && !has_neighbors) return;
    const uint32_t asset = timing().asset(entry);
    take(definition_.assets[asset]);
    TakeVersion(context, asset, take);
  }
}

// Without the manifest, whose generation would open the clips at all times.
void ClipSet::TakeVersion(RequestContext& context, uint32_t asset,
                          const std::function<void(std::string_view)>& take) const {
  OwnSlot own(cache_);
  ClipSlot* slot = &slots_[asset];
  if (slot->TryPin(cache_.clock()) == nullptr) {
    slot = &own.slot;
    const absl::Status status = Fill(context, asset, *slot, /*prefetch=*/true);
    WarnOfClip(context, asset, status);
    if (!status.ok()) return take("unreadable");
  }
  take(static_cast<const ClipView*>(slot->pinned_view())->layer()->info().content_version);
  slot->Unpin();
}

std::shared_ptr<const Layer> ClipSet::GenerateManifest(RequestContext& context,
                                                       bool write_blocks) const {
  // Opens every clip, as OpenUSD does; an authored manifest avoids that.
  ClipManifestBuilder builder(context, clip_prim(), write_blocks);
  for (size_t entry = 0; entry < timing().size(); ++entry) {
    if (!context.Spend(64).ok()) return nullptr;
    // Through a temporary slot: views in the set's own slots are sized by the manifest, which is
    // not known yet.
    OwnSlot own(cache_);
    const uint32_t asset = timing().asset(entry);
    const absl::Status status = Fill(context, asset, own.slot, /*prefetch=*/false);
    WarnOfClip(context, asset, status);
    Pin pin;
    if (status.ok()) pin = Pin(&own.slot, static_cast<const ClipView*>(own.slot.pinned_view()));
    builder.Add(pin ? pin->layer().get() : nullptr, timing().authored_start(entry));
  }
  LayerBuilder layer = builder.Build();
  if (!context.Check().ok()) return nullptr;
  return std::move(layer).Build({.identifier = "generated_manifest.usda", .anonymous = true});
}

absl::StatusOr<std::shared_ptr<const Layer>> ClipSet::LoadManifest(RequestContext& context) const {
  if (!definition_.manifest) {
    auto layer = GenerateManifest(context, /*write_blocks=*/false);
    if (!layer) return context.Check();
    return layer;
  }
  return cache_.registry().Open(context, definition_.resolver_context, *definition_.manifest,
                                definition_.anchor.get());
}

std::shared_ptr<const Layer> ClipSet::Manifest(RequestContext& context) const {
  RequestNotes::NoteClipsOfCurrent();
  ManifestOrFailure manifest = KnownManifest();
  // A single flight instead of a lock, so that a waiting request can end at its own deadline.
  if (!manifest) {
    manifest = manifest_loads_.Do(context, 0, [&] { return LoadAndKeepManifest(context); });
  }
  if (manifest->ok()) return **manifest;
  Warn(context, definition_.manifest.value_or(""),
       Concat("manifest layer for clip set '", name(), "'"), manifest->status());
  return nullptr;
}

ClipSet::ManifestOrFailure ClipSet::KnownManifest() const {
  MutexLock lock(manifest_mu_);
  // A failure is tried again after a while, because the file may appear.
  if (manifest_ && !manifest_->ok() && cache_.options().now() >= retry_) return std::nullopt;
  return manifest_;
}

absl::StatusOr<std::shared_ptr<const Layer>> ClipSet::LoadAndKeepManifest(
    RequestContext& context) const {
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths_.get()));
  if (const auto known = KnownManifest(); known && known->ok()) return *known;
  auto layer = LoadManifest(context);
  // The result of a request that has ended may be incomplete.
  if (absl::Status alive = context.Check(); !alive.ok()) return alive;
  MutexLock lock(manifest_mu_);
  manifest_ = layer;
  if (layer.ok()) {
    ready_manifest_.store(layer->get(), std::memory_order_release);
  } else {
    retry_ = cache_.options().now() + cache_.options().negative_ttl;
  }
  return layer;
}

Array<double> ClipSet::Shared(std::vector<double> times) const {
  const size_t hash = HashTimes(times);
  WriterMutexLock lock(attributes_mu_);
  const auto [first, last] = lists_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const std::span<const double> list = it->second.span();
    if (std::equal(list.begin(), list.end(), times.begin(), times.end())) return it->second;
  }
  times.shrink_to_fit();
  return lists_.emplace(hash, Array<double>::FromVector(std::move(times)))->second;
}

}  // namespace stagedoor
