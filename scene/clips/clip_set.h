#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SET_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SET_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/request_notes.h"
#include "base/single_flight.h"
#include "base/task_group.h"
#include "scene/clips/clip_attribute.h"
#include "scene/clips/clip_cache.h"
#include "scene/clips/clip_timing.h"
#include "scene/clips/clip_view.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/paths/path_scope.h"
#include "scene/values/array.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// The clips of one set, their timing and their manifest. Stages that define an equal set in the
// same layer share it.
//
// Corresponds to OpenUSD's Usd_ClipSet, whose Usd_Clip objects are the entries of timing() here.
// Implements Core Specification 12.3.4 Value Clips. No layer is opened before it is needed. Held by
// shared_ptr only. Thread-safe.
class ClipSet : public std::enable_shared_from_this<ClipSet> {
 public:
  struct Definition {
    std::string name;
    std::shared_ptr<const Layer> anchor;  // what asset paths are relative to
    ResolverContext resolver_context;     // how they resolve
    Path clip_prim;                       // primPath: the prim's path in the clips
    std::vector<std::string> assets;      // as authored
    ClipTiming timing;                    // `active` and `times`, in the set's time
    LayerOffset offset;                   // maps the set's time to stage time
    std::optional<std::string> manifest;  // asset path; if none, generated from clips
    bool interpolate_missing = false;
  };
  // `read_ahead` opens clips ahead of reads; it may be null, in which case none are. `cache` and
  // `read_ahead` outlive the set.
  ClipSet(ClipCache& cache, TaskGroup* read_ahead, Definition definition);
  ~ClipSet();

  const Definition& definition() const { return definition_; }
  const std::string& name() const { return definition_.name; }
  const ClipTiming& timing() const { return definition_.timing; }
  bool interpolate_missing() const { return definition_.interpolate_missing; }
  Path clip_prim() const { return definition_.clip_prim; }
  const std::string& asset(size_t index) const { return definition_.assets[index]; }

  // An open clip, pinned during the lifetime of the pin; false if the clip cannot be read.
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
  // Pins the clip of an entry of timing(), opening it if necessary. Failures are warnings. The
  // common case, an open clip, takes no lock.
  Pin Open(RequestContext& context, size_t entry) const {
    RequestNotes::NoteClipsOfCurrent();
    ClipSlot& slot = slots_[timing().asset(entry)];
    ClipSlot::View* view = slot.TryPin(cache_.clock());
    if (view != nullptr) return Pin(&slot, static_cast<const ClipView*>(view));
    return OpenUncached(context, entry);
  }

  // The manifest, loaded or generated on first use; null with a warning if it cannot be read.
  std::shared_ptr<const Layer> Manifest(RequestContext& context) const;
  // A manifest generated from all clips, even if the set has an authored one; see
  // ClipManifestBuilder for `write_blocks`. Null once the context is done. Corresponds to
  // UsdClipsAPI::GenerateClipManifest.
  std::shared_ptr<const Layer> GenerateManifest(RequestContext& context, bool write_blocks) const;
  // The attribute at `path` in the clips; null unless the manifest declares it as a varying
  // attribute. Corresponds to the look-up in Usd_ClipSet::manifestClip of
  // UsdStage::_GetResolveInfo. Defined with ClipSetAttribute.
  std::shared_ptr<const ClipAttribute> Attribute(RequestContext& context, Path path) const;

  // See ClipSource::Prefetch. Clips that cannot be opened are skipped.
  void Prefetch(RequestContext& context, double first, double last, PrefetchTally* tally) const;

  // See ClipSource::VisitVersions.
  void VisitVersions(RequestContext& context, double first, double last,
                     const std::function<void(std::string_view)>& take) const;

  // `times`, or an equal list that was passed before, so that attributes share their lists.
  Array<double> Shared(std::vector<double> times) const;

 private:
  // Nothing if it has to be loaded.
  using ManifestOrFailure = std::optional<absl::StatusOr<std::shared_ptr<const Layer>>>;

  Pin OpenUncached(RequestContext& context, size_t entry) const;
  absl::Status Fill(RequestContext& context, size_t asset, ClipSlot& slot, bool prefetch) const;
  void TakeVersion(RequestContext& context, uint32_t asset,
                   const std::function<void(std::string_view)>& take) const;
  void WarnOfClip(RequestContext& context, size_t asset, const absl::Status& status) const;
  // `what` is half a sentence that names the asset.
  static void Warn(RequestContext& context, const std::string& asset, std::string_view what,
                   const absl::Status& status);
  // Schedules OpenAhead if entries are being read one after another, forwards or backwards.
  void ReadAhead(size_t entry) const;
  // Opens the entries after `entry` in steps of `step`, which is 1 or -1.
  void OpenAhead(size_t entry, int64_t step) const;
  absl::StatusOr<std::shared_ptr<const Layer>> LoadManifest(RequestContext& context) const;
  ManifestOrFailure KnownManifest() const;
  absl::StatusOr<std::shared_ptr<const Layer>> LoadAndKeepManifest(RequestContext& context) const;

  ClipCache& cache_;
  TaskGroup* const read_ahead_;
  // Stages come and go, so paths that the set keeps belong to a scope of its own.
  const std::shared_ptr<PathScope> paths_ = PathScope::CreateSmall();
  const Definition definition_;
  const std::unique_ptr<ClipSlot[]> slots_;  // by asset

  mutable std::atomic<int64_t> last_opened_{-1};  // entry; gives the direction of playback
  mutable std::atomic<bool> reading_ahead_{false};

  mutable SingleFlight<int, std::shared_ptr<const Layer>> manifest_loads_;
  mutable Mutex manifest_mu_;
  mutable ManifestOrFailure manifest_ ABSL_GUARDED_BY(manifest_mu_);
  mutable ClipCache::Clock::time_point retry_ ABSL_GUARDED_BY(manifest_mu_);  // after a failure
  mutable std::atomic<const Layer*> ready_manifest_{nullptr};

  mutable SharedMutex attributes_mu_;
  mutable std::unordered_map<Path, std::unique_ptr<const ClipAttribute>> attributes_
      ABSL_GUARDED_BY(attributes_mu_);
  mutable std::unordered_multimap<size_t, Array<double>> lists_ ABSL_GUARDED_BY(attributes_mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SET_H_
