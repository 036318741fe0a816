#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SHADING_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SHADING_WRITER_H_

#include "absl/status/status.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_layer_work.h"

namespace stagedoor {

// Writes the materials of a frame to its layer: the shaders and node graphs that connections lead
// to, with their authored inputs and outputs, connected as on the stage. Not thread-safe. Borrows
// the work.
class FrameShadingWriter {
 public:
  explicit FrameShadingWriter(FrameLayerWork& work) : work_(work), attributes_(work) {}

  // Errors: those of the context.
  absl::Status Write();
  // Writes a single shader or node graph, unless that is done. Errors: those of the context.
  absl::Status WriteNode(const Prim& node);

 private:
  absl::Status WriteMaterial(const Prim& material);

  FrameLayerWork& work_;
  FrameAttributeWriter attributes_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SHADING_WRITER_H_
