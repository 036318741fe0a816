#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LAYER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LAYER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_layer_source.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// A frame as one layer that renderers open without the layers of the stage.
//
// - Prims have the paths that they have on the stage, in their hierarchy. What draws nothing is
//   there only if something is below it, as a prim without properties.
// - A prim has one transform, to world space, which resets the transform stack; but a part of a
//   prototype of point instancers has its own transform, as all prims up to the prototype's root.
// - Attributes have the values of the frame: points and normals as they are deformed, primvars with
//   those that are inherited. What varies within the shutter has time samples, all else defaults.
//   What has opinions but no value is blocked. Purposes, bindings and primvars that do not reach a
//   prim on the stage do not reach it here.
// - Geometry that several prims have in common is in a class at the root of the layer, which they
//   reference. Point instancers stay such, with positions and orientations in place of rates of
//   change. Prototypes that are not drawn where they are, too, are overs.
// - Materials are bound directly, with their networks as authored and the values of the frame.
// - Lights have the collections that link them. Cameras, render settings and products are copied.
//
// Asset paths are anchored, as in FlattenStage.
struct FrameLayer {
  std::shared_ptr<const Layer> layer;
  std::vector<FrameLayerProblem> problems;  // the first kMaxFrameLayerProblems
  Reservation reserved;  // for the layer, without arrays that it shares with those of the stage
};

// `executor` may be null, in which case everything runs on the calling thread. Errors: those of the
// context.
absl::StatusOr<FrameLayer> MakeFrameLayer(RequestContext& context, const FrameLayerSource& source,
                                          Layer::Info info, Executor* executor = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LAYER_H_
