#ifndef STAGEDOOR_SCENE_FRAME_FRAME_INSTANCE_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_INSTANCE_WRITER_H_

#include "absl/status/status.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_plan.h"

namespace stagedoor {

// Writes the instances of point instancers to a frame's layer: those of the time of the frame, with
// positions, orientations and scales at the samples, in place of their rates of change. Not
// thread-safe. Borrows the work.
class FrameInstanceWriter {
 public:
  explicit FrameInstanceWriter(FrameLayerWork& work) : work_(work) {}

  // Instances that cannot be computed are reported. Errors: those of the context.
  absl::Status Write(SpecId spec, const FrameGeometry& instancer);

 private:
  absl::Status WriteArrays(SpecId spec, const FrameGeometry& instancer);
  void WritePrototypes(SpecId spec, const FrameGeometry& instancer);
  void WriteIds(SpecId spec, const Prim& instancer);

  FrameLayerWork& work_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_INSTANCE_WRITER_H_
