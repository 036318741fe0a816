#include "server/sessions/layer_files.h"

#include <utility>

#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/resolver.h"
#include "scene/layer/layer_registry.h"
#include "server/converters/layer_converter.h"
#include "server/error_info.h"
#include "server/sessions/asset_state.h"
#include "server/sessions/audit.h"
#include "server/sessions/caller_scope.h"

namespace stagedoor::server {
namespace {

using LayerOrError = absl::StatusOr<std::shared_ptr<const Layer>>;

// Calls `open` for an asset path that is well-formed. Errors have reasons; the decision is audited.
template <typename Open>
LayerOrError OpenNamed(const AssetState& state, std::string_view field,
                       const std::string& identifier, const Open& open) {
  SD_RETURN_IF_ERROR(CheckAssetField(field, identifier));
  WorkInOwnScope();
  LayerOrError layer = open();
  AuditOpening(state.audit, "open layer", identifier, layer.status());
  if (!layer.ok()) return WithLayerReason(layer.status(), identifier);
  return layer;
}

}  // namespace

void WorkInOwnScope() {
  if (RequestScope::Current().owner == nullptr) RequestScope::Adopt(PathScope::CreateSmall());
}

absl::Status CheckAssetField(std::string_view field, std::string_view path) {
  constexpr size_t kMaxShown = 200;
  const absl::Status status = CheckAssetPath(path);
  return status.ok() ? status
                     : InvalidFieldError(field, path.substr(0, kMaxShown), Message(status));
}

LayerOrError OpenNamedLayer(const AssetState& state, RequestContext& context,
                            std::string_view field, const std::string& identifier) {
  return OpenNamed(state, field, identifier, [&] {
    return state.layers.Open(context, ContextOfCaller(), identifier, nullptr);
  });
}

LayerOrError OpenNamedLayerUncached(const AssetState& state, RequestContext& context,
                                    std::string_view field, const std::string& identifier) {
  return OpenNamed(state, field, identifier, [&]() -> LayerOrError {
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
  return InvalidFieldError("format", v1::LayerFormat_Name(format), "the format cannot be written");
}

}  // namespace stagedoor::server
