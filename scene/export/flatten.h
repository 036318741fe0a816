#ifndef STAGEDOOR_SCENE_EXPORT_FLATTEN_H_
#define STAGEDOOR_SCENE_EXPORT_FLATTEN_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Flattens a stage to a single layer that composes to the same values.

// Corresponds to UsdStage::Flatten: writes every active prim with its composed metadata and
// authored properties. Layer offsets are applied, value clips become time samples, asset paths are
// anchored, targets are explicit lists. Instances remain instances, of prims
// /Flattened_Prototype_N.
//
// Fails only if the request is cancelled, misses its deadline or exceeds its limits. The memory of
// the new layer, without arrays shared with other layers, is reserved in the context until this
// returns; its size is stored in `*bytes` unless that is null.
absl::StatusOr<std::shared_ptr<const Layer>> FlattenStage(RequestContext& context,
                                                          const Stage& stage, Layer::Info info,
                                                          size_t* bytes = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EXPORT_FLATTEN_H_
