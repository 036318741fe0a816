#include "server/handlers/layer_handlers.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/resolver.h"
#include "server/converters/layer_converter.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

class LayerStream final : public ResponseStream<v1::ReadLayerResponse> {
 public:
  LayerStream(std::shared_ptr<const Layer> layer, LayerWalkOptions options, size_t message_bytes)
      : layer_(std::move(layer)),
        options_(options),
        message_bytes_(message_bytes),
        walk_(*layer_) {}

  absl::StatusOr<bool> Next(RequestContext& context, v1::ReadLayerResponse* response) override {
    const bool first = std::exchange(first_, false);
    if (first) FillLayerHeader(*layer_, response->mutable_layer());
    size_t bytes = 0;
    while (!walk_.done() && bytes < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      v1::Spec* spec = response->add_specs();
      FillSpec(*layer_, walk_.Next(), options_, spec);
      bytes += spec->ByteSizeLong();
    }
    return first || response->specs_size() != 0;
  }

 private:
  const std::shared_ptr<const Layer> layer_;
  const LayerWalkOptions options_;
  const size_t message_bytes_;
  SpecWalk walk_;
  bool first_ = true;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayer(ServerState& state,
                                                            RequestContext& context,
                                                            const std::string& identifier) {
  if (absl::Status status = CheckAssetPath(identifier); !status.ok()) {
    return WithReason(status, reason::kInvalidField, {{"asset", identifier}});
  }
  auto layer = state.layers.Open(context, identifier, nullptr);
  if (!layer.ok()) return WithLayerReason(layer.status(), identifier);
  return layer;
}

absl::StatusOr<ResponseStreamPtr<v1::ReadLayerResponse>> ReadLayer(
    ServerState& state, RequestContext& context, const v1::ReadLayerRequest& request) {
  SD_ASSIGN_OR_RETURN(auto layer, OpenNamedLayer(state, context, request.identifier()));
  LayerWalkOptions options;
  options.without_values = request.without_values();
  return std::make_unique<LayerStream>(std::move(layer), options, state.limits.message_bytes);
}

}  // namespace stagedoor
