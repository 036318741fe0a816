#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SETTINGS_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SETTINGS_WRITER_H_

#include "absl/status/status.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_collection_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_link_writer.h"

namespace stagedoor {

// Writes to a frame's layer what is not drawn: the metadata of the stage, cameras, and render
// settings with their products, vars and pass. Not thread-safe. Borrows its arguments.
class FrameSettingsWriter {
 public:
  FrameSettingsWriter(FrameLayerWork& work, FrameLinkWriter& links)
      : work_(work), links_(links), attributes_(work), collections_(work) {}

  // Errors, here and below: those of the context.
  absl::Status WriteMetadata();
  absl::Status WriteCameras();
  absl::Status WriteSettings();
  // Writes the collections of the render pass, once all other prims are written.
  absl::Status WriteCollections();

 private:
  absl::Status WriteCamera(const Prim& camera);
  absl::Status WritePlace(SpecId spec, const Prim& camera);
  absl::Status WriteCameraAt(Path path);  // which may be empty, or that of another prim
  // Copies a prim that renderers read at default time.
  absl::Status Copy(const Prim& prim);
  absl::Status CopyProperty(SpecId spec, const Property& property);

  FrameLayerWork& work_;
  FrameLinkWriter& links_;
  FrameAttributeWriter attributes_;
  FrameCollectionWriter collections_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SETTINGS_WRITER_H_
