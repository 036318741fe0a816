#include "server/handlers/layer_files.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/resolver.h"
#include "server/converters/layer_converter.h"
#include "server/error_info.h"
#include "server/handlers/audit.h"
#include "server/handlers/caller_scope.h"

namespace stagedoor::server {
namespace {

using LayerOrError = absl::StatusOr<std::shared_ptr<const Layer>>;

// Calls `open` for an asset path that is well-formed. Errors have reasons; the decision is audited.
template <typename Open>
LayerOrError OpenNamed(const ServerState& state, const std::string& identifier, const Open& open) {
  if (absl::Status status = CheckAssetPath(identifier); !status.ok()) {
    return WithReason(status, v1::ERROR_REASON_INVALID_FIELD, {{"asset", identifier}});
  }
  WorkScope::Adopt(PathScope::CreateSmall());  // frees the paths of a crate's values after the call
  LayerOrError layer = open();
  AuditOpening(state, "open layer", identifier, layer.status());
  if (!layer.ok()) return WithLayerReason(layer.status(), identifier);
  return layer;
}

}  // namespace

LayerOrError OpenNamedLayer(ServerState& state, RequestContext& context,
                            const std::string& identifier) {
  return OpenNamed(state, identifier, [&] {
    return state.layers.Open(context, ContextOfCaller(), identifier, nullptr);
  });
}

LayerOrError OpenNamedLayerUncached(ServerState& state, RequestContext& context,
                                    const std::string& identifier) {
  return OpenNamed(state, identifier, [&]() -> LayerOrError {
    SD_ASSIGN_OR_RETURN(LayerRegistry::Opened opened,
                        state.layers.OpenUncached(context, ContextOfCaller(), identifier));
    return std::move(opened.layer);
  });
}

absl::StatusOr<ByteSourcePtr> MakeLayerByteSource(const LayerFormats& formats,
                                                  std::shared_ptr<const Layer> layer,
                                                  v1::LayerFormat format) {
  const LayerFormat* const writer = formats.FindByName(LayerFormatName(format));
  if (writer != nullptr && writer->write != nullptr) return writer->write(std::move(layer));
  return WithReason(InvalidArgumentError("unknown layer format"), v1::ERROR_REASON_INVALID_FIELD);
}

}  // namespace stagedoor::server
