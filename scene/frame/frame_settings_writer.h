#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SETTINGS_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SETTINGS_WRITER_H_

#include "absl/status/status.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_collection_writer.h"
#include "scene/frame/frame_layer_work.h"

namespace stagedoor {

// Writes to a frame's layer what is not drawn: the metadata of the stage, cameras, and render
// settings with their products, vars and pass. Not thread-safe. Borrows the work.
class FrameSettingsWriter {
 public:
  explicit FrameSettingsWriter(FrameLayerWork& work)
      : work_(work), attributes_(work), collections_(work) {}

  // Errors, here and below: those of the context.
  absl::Status WriteMetadata();
  absl::Status WriteCameras();
  absl::Status WriteSettings();
  // Writes the collections of the render pass, once all other prims are written.
  absl::Status WriteCollections();

 private:
  absl::Status WriteCamera(const Prim& camera);
  // Copies a prim that renderers read at default time.
  absl::Status Copy(const Prim& prim);

  FrameLayerWork& work_;
  FrameAttributeWriter attributes_;
  FrameCollectionWriter collections_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SETTINGS_WRITER_H_
