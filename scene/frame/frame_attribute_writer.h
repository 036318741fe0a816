#ifndef STAGEDOOR_SCENE_FRAME_FRAME_ATTRIBUTE_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_ATTRIBUTE_WRITER_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_plan.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Writes attributes of prims to a frame's layer, with the values that they have in the frame. Not
// thread-safe. Borrows the work.
class FrameAttributeWriter {
 public:
  explicit FrameAttributeWriter(FrameLayerWork& work) : work_(work) {}

  // Writes the attributes of a geometry that are authored, except for those whose effect is in the
  // layer in another form. `has_skin`: the prims are deformed, or moved, by their skin. What cannot
  // be computed is reported. Errors: those of the context.
  absl::Status WriteGeometry(SpecId spec, const FrameGeometry& geometry, bool has_skin);
  // Writes an attribute, if it has opinions: its samples in the shutter, or the single one of the
  // frame, or that of default time. Fallbacks are left to the schemas.
  enum class Times { kShutter, kFrame, kDefault };
  absl::Status Write(SpecId spec, const Attribute& attribute, Times times);
  // Writes an input or output with its connections, and its value, if it has one.
  absl::Status WritePort(SpecId spec, const Attribute& attribute, Times times = Times::kFrame);

 private:
  absl::Status WriteAttribute(SpecId spec, const FrameGeometry& geometry,
                              const FrameAttribute& attribute);
  absl::Status WriteExtent(SpecId spec, const FrameGeometry& geometry,
                           const std::vector<FlatSample>& points);
  absl::StatusOr<FlatAttribute> Read(const Attribute& attribute, Times times);
  FlatAttribute HeaderOf(const FrameAttribute& attribute);

  FrameLayerWork& work_;
};

// Whether the effect of an attribute is in the layer in another form: it is about the transform,
// visibility, purpose, skin or collections of a prim.
bool IsBaked(Token name);

// Whether a model has bounds for what is drawn in its place, which are then an attribute like
// others.
bool HasExtentsHint(RequestContext& context, const Prim& prim, TimeCode time);

// Whether a light or a camera goes without an attribute in the layer: it is baked, or a primvar,
// which prims below would inherit.
bool IsLeftOut(Token name);

// The metadata of an attribute that its value is read with, such as the color space.
std::vector<std::pair<Token, Value>> ValueMetadata(RequestContext& context,
                                                   const Attribute& attribute);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_ATTRIBUTE_WRITER_H_
