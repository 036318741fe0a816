// ClipSet: the clips of one set, their timing and manifest; what all stages share that define an
// equal set in the same layer.
//
// Nothing is opened before it is needed. Held by shared_ptr only. Thread-safe.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SET_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SET_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/single_flight.h"
#include "scene/clips/clip_attribute.h"
#include "scene/clips/clip_cache.h"
#include "scene/clips/clip_timing.h"
#include "scene/clips/clip_view.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/paths/path_scope.h"
#include "scene/values/array.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {

class ClipSetAttribute;

class ClipSet : public std::enable_shared_from_this<ClipSet> {
 public:
  struct Definition {
    std::string name;
    std::shared_ptr<const Layer> anchor;  // asset paths are relative to it
    Path clip_prim;                       // the prim in the clips
    std::vector<std::string> assets;      // as authored
    ClipTiming timing;                    // in the set's time
    LayerOffset offset;                   // the set's time to stage time
    std::optional<std::string> manifest;  // asset path; none: made from the clips
    bool interpolate_missing = false;
  };
  // `executor` runs reads ahead; null: none. Both outlive the set.
  ClipSet(ClipCache& cache, Executor* executor, Definition definition);
  ~ClipSet();

  const Definition& definition() const { return definition_; }
  const std::string& name() const { return definition_.name; }
  const ClipTiming& timing() const { return definition_.timing; }
  bool interpolate_missing() const { return definition_.interpolate_missing; }
  Path clip_prim() const { return definition_.clip_prim; }
  const std::string& asset(size_t index) const { return definition_.assets[index]; }

  // An open clip, pinned as long as this lives; or nothing, where it cannot be read.
  class Pin {
   public:
    Pin() = default;
    Pin(ClipSlot* slot, const ClipView* view) : slot_(slot), view_(view) {}
    Pin(Pin&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)), view_(other.view_) {}
    Pin& operator=(Pin&& other) noexcept {
      std::swap(slot_, other.slot_);
      std::swap(view_, other.view_);
      return *this;
    }
    ~Pin() {
      if (slot_) slot_->Unpin();
    }
    explicit operator bool() const { return slot_ != nullptr; }
    const ClipView* operator->() const { return view_; }

   private:
    ClipSlot* slot_ = nullptr;
    const ClipView* view_ = nullptr;
  };
  // The clip of an entry of timing(). Failures are warnings.
  Pin Open(RequestContext& context, size_t entry) const {
    ClipSlot& slot = slots_[timing().asset(entry)];
    ClipSlot::View* view = slot.TryPin(cache_.clock());
    if (view != nullptr) return Pin(&slot, static_cast<const ClipView*>(view));
    return OpenUncached(context, entry);
  }

  // The manifest; null with a warning where it cannot be read.
  std::shared_ptr<const Layer> Manifest(RequestContext& context) const;
  // A manifest of all clips, whatever the authored one says.
  std::shared_ptr<const Layer> GenerateManifest(RequestContext& context, bool write_blocks) const;
  // Null unless the manifest declares the attribute at `path` in the clips.
  std::shared_ptr<const ClipAttribute> Attribute(RequestContext& context, Path path) const;

  // See ClipSource. Clips that cannot be opened are left out.
  void Prefetch(RequestContext& context, double first, double last, PrefetchTally* tally) const;

  // An equal list, if there was one before, else `times`: attributes share their lists.
  Array<double> Shared(std::vector<double> times) const;

 private:
  struct ManifestState {
    std::shared_ptr<const Layer> layer;  // null: not yet, or failed
    absl::Status failure;
    ClipCache::Clock::time_point retry;
  };

  Pin OpenUncached(RequestContext& context, size_t entry) const;
  absl::Status Fill(RequestContext& context, size_t asset, ClipSlot& slot, bool prefetch) const;
  void Warn(RequestContext& context, size_t asset, const absl::Status& status) const;
  void ReadAhead(size_t entry) const;
  void OpenAhead(size_t entry, int64_t step) const;
  absl::StatusOr<std::shared_ptr<const Layer>> LoadManifest(RequestContext& context) const;
  // What loading has given, if it need not be tried (again).
  std::optional<ManifestState> KnownManifest() const;
  absl::StatusOr<std::shared_ptr<const Layer>> LoadAndKeepManifest(RequestContext& context) const;

  ClipCache& cache_;
  Executor* const executor_;
  // Stages come and go: what the set keeps of paths is not theirs.
  const std::shared_ptr<PathScope> paths_ = PathScope::CreateSmall();
  const Definition definition_;
  const std::unique_ptr<ClipSlot[]> slots_;  // by asset

  mutable std::atomic<int64_t> last_opened_{-1};  // entry, for the direction of play
  mutable std::atomic<bool> reading_ahead_{false};

  mutable SingleFlight<int, std::shared_ptr<const Layer>> manifest_loads_;
  mutable Mutex manifest_mu_;
  mutable ManifestState manifest_ ABSL_GUARDED_BY(manifest_mu_);
  mutable std::atomic<const Layer*> ready_manifest_{nullptr};

  mutable SharedMutex attributes_mu_;
  mutable std::unordered_map<Path, std::unique_ptr<const ClipSetAttribute>> attributes_
      ABSL_GUARDED_BY(attributes_mu_);
  mutable std::unordered_multimap<size_t, Array<double>> lists_ ABSL_GUARDED_BY(attributes_mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SET_H_
