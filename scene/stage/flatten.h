// Flattening: a stage written into one layer that composes to the same values.
#ifndef STAGEDOOR_SCENE_STAGE_FLATTEN_H_
#define STAGEDOOR_SCENE_STAGE_FLATTEN_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// As UsdStage::Flatten: every active prim with its composed metadata and authored properties.
// Offsets are applied, clips become samples, asset paths are anchored, targets are explicit.
// Instances stay instances of prims /Flattened_Prototype_N. Fails only when the request is over:
// cancelled, late or above its bounds. What the layer holds, arrays that it shares with others left
// out, is reserved while it is made, and told in `*bytes` if that is given.
absl::StatusOr<std::shared_ptr<const Layer>> FlattenStage(RequestContext& context,
                                                          const Stage& stage, Layer::Info info,
                                                          size_t* bytes = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_FLATTEN_H_
