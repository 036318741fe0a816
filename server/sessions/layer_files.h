#ifndef STAGEDOOR_SERVER_SESSIONS_LAYER_FILES_H_
#define STAGEDOOR_SERVER_SESSIONS_LAYER_FILES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_format.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

struct AssetState;

// Makes the call work for a PathScope of its own, unless it already works for one: the paths of the
// request and of the values of crate files are freed after the call.
void WorkInOwnScope();

// INVALID_ARGUMENT (INVALID_FIELD) if the asset path in a field of a request is malformed.
absl::Status CheckAssetField(std::string_view field, std::string_view path);

// Opens a layer that a field of a request names. Errors: INVALID_ARGUMENT (INVALID_FIELD) for a
// malformed asset path; those of LayerRegistry::Open, with the reason and the asset
// (WithLayerReason).
absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayer(const AssetState& state,
                                                            RequestContext& context,
                                                            std::string_view field,
                                                            const std::string& identifier);
// As OpenNamedLayer, without the cache of layers, for one that is needed once.
absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayerUncached(const AssetState& state,
                                                                    RequestContext& context,
                                                                    std::string_view field,
                                                                    const std::string& identifier);

// The content of a file that holds the layer, produced as it is read. LAYER_FORMAT_UNSPECIFIED
// gives a crate file. INVALID_ARGUMENT (INVALID_FIELD) for a format that cannot be written.
absl::StatusOr<ByteSourcePtr> MakeLayerByteSource(const LayerFormats& formats,
                                                  std::shared_ptr<const Layer> layer,
                                                  v1::LayerFormat format);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_LAYER_FILES_H_
