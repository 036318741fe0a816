#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LINK_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LINK_WRITER_H_

#include <span>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "base/reservation.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_shading_writer.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Copies to a frame's layer what the properties of lights and settings lead to: the shading nodes
// that they are connected to, and relationships that forward their targets. Not thread-safe.
// Borrows the work.
class FrameLinkWriter {
 public:
  explicit FrameLinkWriter(FrameLayerWork& work)
      : work_(work), attributes_(work), shading_(work), reserved_(work.context) {}

  // Targets of a relationship that is in the layer, or connections of an attribute that is.
  void Follow(std::span<const Path> paths);
  // Writes what was followed, once all prims that something else is written of are in the layer.
  // Errors: those of the context.
  absl::Status Write();

 private:
  absl::Status WriteProperty(Path path);
  absl::Status WriteNode(const Prim& node);

  FrameLayerWork& work_;
  FrameAttributeWriter attributes_;
  FrameShadingWriter shading_;
  std::vector<Path> queue_;
  std::unordered_set<Path> known_;  // paths of properties that were enqueued
  Reservation reserved_;            // for both
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LINK_WRITER_H_
