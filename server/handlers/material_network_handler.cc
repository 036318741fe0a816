#include "server/handlers/material_network_handler.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "scene/shade/material_network.h"
#include "scene/shade/shade_tokens.h"
#include "server/check_count.h"
#include "server/converters/known_digests.h"
#include "server/converters/reply_budget.h"
#include "server/queries/network_fields.h"
#include "server/queries/prim_batch.h"
#include "server/server_limits.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxRenderContexts = 16;

absl::Status CheckIsMaterial(const Prim& prim) {
  if (prim.IsA(Shade().Material)) return absl::OkStatus();
  return WrongType(prim, Shade().Material);
}

class NetworkStream final : public ResponseStream<v1::ComputeMaterialNetworksResponse> {
 public:
  NetworkStream(RequestContext& context, const ServerLimits& limits, PrimBatch batch,
                const v1::ComputeMaterialNetworksRequest& request)
      : budget_(context, limits.max_item_bytes(), "request fewer times"),
        batch_(std::move(batch)),
        options_{
            .render_contexts = {request.render_contexts().begin(), request.render_contexts().end()},
            .flatten = !request.as_graph()},
        message_bytes_(ChunkBytes(request, limits)) {}

  absl::Status UseDigestOptions(RequestContext& context, const v1::DigestOptions& options) {
    SD_ASSIGN_OR_RETURN(known_, KnownDigests::Parse(context, options));
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::ComputeMaterialNetworksResponse* response) override {
    budget_.StartMessage();
    if (item_ == 0) response->set_snapshot(batch_.leased.snapshot->fingerprint());
    while (item_ < batch_.prims.size() && budget_.message_bytes() < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      SD_RETURN_IF_ERROR(AddItem(response));
      ++item_;
    }
    SD_RETURN_IF_ERROR(batch_.leased.CheckRead());
    return response->items_size() != 0;
  }
  bool AtEnd() const override { return item_ == batch_.prims.size(); }

 private:
  // Fails only if the request is over.
  absl::Status AddItem(v1::ComputeMaterialNetworksResponse* response) {
    const auto item = static_cast<uint32_t>(item_);
    budget_.StartItem();
    v1::MaterialNetwork* out = budget_.Add(response->mutable_items());
    absl::Status failure = batch_.failures[item_];
    if (failure.ok()) failure = CheckIsMaterial(batch_.prims[item_]);
    if (failure.ok()) {
      FillMaterialNetwork(batch_.prims[item_], options_, batch_.times, budget_, out);
    } else {
      budget_.FillError(failure, item, out->mutable_error());
    }
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, item, out));
    if (known_ && !out->has_error()) SD_RETURN_IF_ERROR(AddNetworkDigest(*known_, budget_, out));
    out->set_item(item);
    return absl::OkStatus();
  }

  ReplyBudget budget_;
  const PrimBatch batch_;
  const MaterialNetworkOptions options_;
  const size_t message_bytes_;
  std::optional<KnownDigests> known_;
  size_t item_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ComputeMaterialNetworksResponse>> ComputeMaterialNetworks(
    const QueryState& state, RequestContext& context,
    const v1::ComputeMaterialNetworksRequest& request) {
  // Parse, and look up the stage and the prims.
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.render_contexts_size()),
                                kMaxRenderContexts, "render contexts"));
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<NetworkStream>(context, state.limits, std::move(batch), request);
  if (request.has_digest_options()) {
    SD_RETURN_IF_ERROR(stream->UseDigestOptions(context, request.digest_options()));
  }
  return stream;
}

}  // namespace stagedoor::server
