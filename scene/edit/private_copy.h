#ifndef STAGEDOOR_SCENE_EDIT_PRIVATE_COPY_H_
#define STAGEDOOR_SCENE_EDIT_PRIVATE_COPY_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {

// The memory that a layer holds in bytes, with arrays that it shares with other layers. More than
// Layer::byte_size, which must not be used for a layer whose predecessor may be gone soon.
size_t WholeBytes(const Layer& layer);

// A copy of a layer to edit, with values that no longer depend on the file that they were read
// from: arrays that are parts of a mapped file, and samples that are decoded when they are asked
// for, are copied. Values that are in memory are shared. RESOURCE_EXHAUSTED if the layer takes more
// than `max_bytes`, before that is copied; DATA_LOSS for a value that cannot be decoded; the errors
// of the context.
absl::StatusOr<LayerBuilder> MakePrivateCopy(RequestContext& context, const Layer& layer,
                                             size_t max_bytes);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_PRIVATE_COPY_H_
