#include "server/handlers/layer_files.h"

#include <utility>

#include "base/status.h"
#include "resolver/resolver.h"
#include "server/converters/layer_converter.h"
#include "server/error_info.h"
#include "server/handlers/audit.h"
#include "server/handlers/caller_scope.h"

namespace stagedoor::server {

absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayer(ServerState& state,
                                                            RequestContext& context,
                                                            const std::string& identifier) {
  if (absl::Status status = CheckAssetPath(identifier); !status.ok()) {
    return WithReason(status, v1::ERROR_REASON_INVALID_FIELD, {{"asset", identifier}});
  }
  WorkScope::Adopt(PathScope::CreateSmall());  // frees the paths of a crate's values after the call
  auto layer = state.layers.Open(context, ContextOfCaller(), identifier, nullptr);
  AuditOpening(state, "open layer", identifier, layer.status());
  if (!layer.ok()) return WithLayerReason(layer.status(), identifier);
  return layer;
}

absl::StatusOr<ByteSourcePtr> MakeLayerByteSource(const LayerFormats& formats,
                                                  std::shared_ptr<const Layer> layer,
                                                  v1::LayerFormat format) {
  const LayerFormat* const writer = formats.FindByName(LayerFormatName(format));
  if (writer != nullptr && writer->write != nullptr) return writer->write(std::move(layer));
  return WithReason(InvalidArgumentError("unknown layer format"), v1::ERROR_REASON_INVALID_FIELD);
}

}  // namespace stagedoor::server
