#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LIGHT_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LIGHT_WRITER_H_

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "absl/status/status.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_collection_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_link_writer.h"
#include "scene/frame/frame_place_xforms.h"
#include "scene/frame/frame_plan.h"

namespace stagedoor {

// Writes the lights and light filters of a frame to its layer. Not thread-safe. Borrows its
// arguments.
class FrameLightWriter {
 public:
  FrameLightWriter(FrameLayerWork& work, FrameLinkWriter& links);

  // To be called once the prims that are drawn are written. Errors, here and below: those of the
  // context.
  absl::Status Write();
  // Writes the collections that link the lights, once all other prims are written.
  absl::Status WriteLinks();

 private:
  absl::Status WriteLight(const FrameLight& light);
  absl::Status WriteGeometryLight(const FrameLight& light);
  template <typename Skips>  // bool(Token name)
  absl::Status WriteAttributes(SpecId spec, const FrameLight& light, const Skips& skips);
  absl::Status WriteAttribute(SpecId spec, const Attribute& attribute);
  absl::Status WritePlace(SpecId spec, const FrameLight& light);

  FrameLayerWork& work_;
  FrameLinkWriter& links_;
  FrameAttributeWriter attributes_;
  FrameCollectionWriter collections_;
  std::unordered_map<FrameId, uint32_t> rows_;  // of mesh and volume lights
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LIGHT_WRITER_H_
