#ifndef STAGEDOOR_SCENE_FRAME_FRAME_CLIPS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_CLIPS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/clips/clip_source.h"
#include "scene/frame/frame_changes.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Names the value clips that frames of a snapshot are made from: the snapshot does not, because
// clips are opened when they are needed, and may change on disk.
//
// Owned by the snapshot (Stage::derived). Thread-safe.
class FrameClips {
 public:
  static FrameClips& Of(const Stage& stage);
  // Memory is charged to `pool`, which may be null.
  explicit FrameClips(MemoryPool* pool) : reserved_(pool) {}

  // Equal for two reads of a frame only if the clips that are active in its shutter, and those
  // before and after it, had the same content. Zero for a stage without clips, and at default time.
  // Opens the clips. `executor` may be null. Errors: those of the context.
  using Words = std::array<uint64_t, 2>;
  absl::StatusOr<Words> VersionsAt(RequestContext& context, const Stage& stage,
                                   const FrameTimes& times, Executor* executor);

 private:
  using Sources = std::vector<const ClipSource*>;

  // The sets of clips of the stage, in its order.
  absl::StatusOr<std::shared_ptr<const Sources>> FindSources(RequestContext& context,
                                                             const Stage& stage);

  Mutex mu_;
  std::shared_ptr<const Sources> sources_ ABSL_GUARDED_BY(mu_);  // null until they are needed
  Reservation reserved_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_CLIPS_H_
