#include "server/handlers/layer_handlers.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/resolver.h"
#include "server/converters/layer_converter.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"

namespace stagedoor {
namespace {

class LayerStream final : public ResponseStream<v1::ReadLayerResponse> {
 public:
  LayerStream(RequestContext& context, const ServerLimits& limits,
              std::shared_ptr<const Layer> layer, LayerTraversalOptions options)
      : budget_(context, limits.max_item_bytes(), "set without_values"),
        layer_(std::move(layer)),
        options_(options),
        message_bytes_(limits.message_bytes),
        walk_(*layer_) {}

  absl::StatusOr<bool> Next(RequestContext& context, v1::ReadLayerResponse* response) override {
    budget_.StartMessage();
    const bool first = std::exchange(first_, false);
    if (first) {
      FillLayerHeader(*layer_, budget_, response->mutable_layer());
      if (!budget_.ok()) return budget_.status();
    }
    while (!walk_.done() && budget_.message_bytes() < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      SD_RETURN_IF_ERROR(FillNext(response));
    }
    return first || response->specs_size() != 0;
  }

 private:
  // Fails only if the request is over.
  absl::Status FillNext(v1::ReadLayerResponse* response) {
    const SpecId id = walk_.Next();
    budget_.StartItem();
    v1::Spec* spec = budget_.Add(response->mutable_specs());
    FillSpec(*layer_, id, options_, budget_, spec);
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, 0, spec));
    if (spec->has_error()) FillSpecName(*layer_, id, budget_, spec);
    return absl::OkStatus();
  }

  ReplyBudget budget_;
  const std::shared_ptr<const Layer> layer_;
  const LayerTraversalOptions options_;
  const size_t message_bytes_;
  SpecTraversal walk_;
  bool first_ = true;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayer(ServerState& state,
                                                            RequestContext& context,
                                                            const std::string& identifier) {
  if (absl::Status status = CheckAssetPath(identifier); !status.ok()) {
    return WithReason(status, reason::kInvalidField, {{"asset", identifier}});
  }
  WorkScope::Adopt(PathScope::CreateSmall());  // frees the paths of a crate's values after the call
  auto layer = state.layers.Open(context, identifier, nullptr);
  if (!layer.ok()) return WithLayerReason(layer.status(), identifier);
  return layer;
}

absl::StatusOr<ResponseStreamPtr<v1::ReadLayerResponse>> ReadLayer(
    ServerState& state, RequestContext& context, const v1::ReadLayerRequest& request) {
  SD_ASSIGN_OR_RETURN(auto layer, OpenNamedLayer(state, context, request.identifier()));
  LayerTraversalOptions options;
  options.without_values = request.without_values();
  return std::make_unique<LayerStream>(context, state.limits, std::move(layer), options);
}

}  // namespace stagedoor
