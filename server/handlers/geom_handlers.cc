#include "server/handlers/geom_handlers.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/xform_batch.h"
#include "scene/values/matrix.h"
#include "server/check_count.h"
#include "server/converters/matrix_block.h"
#include "server/converters/packed_values.h"
#include "server/error_info.h"
#include "server/queries/prim_batch.h"
#include "server/queries/purposes.h"
#include "server/queries/transform_samples.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerPathsOrTimes = "request fewer paths or times";

// Calls visit(prim, time, item) for all items whose path has a prim.
template <typename Visit>
absl::Status ForEachItem(RequestContext& context, const PrimBatch& batch, const Visit& visit) {
  constexpr int64_t kStepsPerItem = 16;
  Pacer pacer(context);
  for (size_t t = 0; t < batch.times.size(); ++t) {
    for (size_t p = 0; p < batch.prims.size(); ++p) {
      SD_RETURN_IF_ERROR(pacer.Step(kStepsPerItem));
      if (batch.prims[p].valid()) visit(batch.prims[p], batch.times[t], batch.ItemIndex(p, t));
    }
  }
  return context.Check();
}

// Fills the purposes; incomplete once the budget or the request is over.
void FillPurposes(RequestContext& context, const PrimBatch& batch, ReplyBudget& budget,
                  v1::ComputeVisibilityResponse* response) {
  for (size_t i = 0; i < batch.prims.size(); ++i) {
    if (!budget.Charge(0)) return;
    if (!batch.prims[i].valid()) {
      response->add_purpose(v1::PURPOSE_UNSPECIFIED);
      continue;
    }
    const Token purpose = ComputePurposeInfo(context, batch.prims[i]).purpose;
    response->add_purpose(PurposeToProto(purpose));
    if (response->purpose(static_cast<int>(i)) != v1::PURPOSE_OTHER) continue;
    while (response->other_purposes_size() < static_cast<int>(i)) {
      if (!budget.Charge(sizeof(std::string))) return;
      response->add_other_purposes("");
    }
    response->add_other_purposes(budget.Text(purpose.text()));
  }
}

constexpr size_t kMaxEffectivePurposes = 16;

absl::StatusOr<std::vector<Token>> ParseEffectivePurposes(
    const v1::ComputeVisibilityRequest& request) {
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.effective_purposes_size()),
                                kMaxEffectivePurposes, "purposes"));
  std::vector<Token> purposes;
  for (const int purpose : request.effective_purposes()) {
    if (purpose < v1::PURPOSE_DEFAULT || purpose > v1::PURPOSE_GUIDE) {
      return InvalidFieldError("effective_purposes", Concat(purpose),
                               "must be DEFAULT, RENDER, PROXY or GUIDE");
    }
    purposes.push_back(PurposeToken(static_cast<v1::Purpose>(purpose)));
  }
  return purposes;
}

v1::Visibility EffectiveVisibilityToProto(Token visibility) {
  if (visibility == Geom().invisible) return v1::VISIBILITY_INVISIBLE;
  if (visibility == Geom().visible) return v1::VISIBILITY_VISIBLE;
  return visibility == Geom().inherited ? v1::VISIBILITY_INHERITED : v1::VISIBILITY_OTHER;
}

// Fills the proxies; incomplete once the budget or the request is over.
void FillProxyPrims(RequestContext& context, const PrimBatch& batch, ReplyBudget& budget,
                    v1::ComputeVisibilityResponse* response) {
  for (const Prim& prim : batch.prims) {
    if (!budget.ok()) return;
    const ProxyPrim found = prim.valid() ? ComputeProxyPrim(context, prim) : ProxyPrim();
    const bool any = found.proxy.valid();
    budget.AddText(any ? found.proxy.PathText() : "", response->mutable_proxy_prims());
    budget.AddText(any ? found.render_prim.PathText() : "", response->mutable_render_prims());
  }
}

constexpr size_t kBlockItems = 8192;  // of 128 bytes

// Whether a client can read blocks of the matrices that a request is for.
bool MayHaveBlocks(const v1::ComputeTransformsRequest& request, const PrimBatch& batch) {
  return request.allow_blocks() && !request.with_local() && !batch.times.empty() &&
         batch.times.size() <= kMaxXformBlockTimes;
}

// Fills the blocks, and returns which prims reset the transform stack.
absl::StatusOr<std::vector<bool>> FillTransformBlocks(const QueryState& state,
                                                      RequestContext& context,
                                                      const PrimBatch& batch, ReplyBudget& budget,
                                                      v1::ComputeTransformsResponse* response) {
  const size_t times = batch.times.size();
  const size_t block = kBlockItems / times;  // prims
  const size_t blocks = (batch.prims.size() + block - 1) / block;
  // The numbers are known to be fewer only once all are there.
  if (!budget.Charge(batch.item_count() * sizeof(Matrix4d) + blocks * sizeof(v1::MatrixBlock))) {
    return budget.status();
  }
  for (size_t i = 0; i < blocks; ++i) response->add_blocks();
  const auto take = [&](size_t first, std::span<const Matrix4d> world) {
    FillMatrixBlock(world, times, response->mutable_blocks(static_cast<int>(first / block)));
  };
  return ComputeXformBlocks(context, batch.prims, batch.times, block, take,
                            state.stages.environment().executor);
}

// As FillTransformBlocks, for the matrices one after the other.
absl::StatusOr<std::vector<bool>> FillTransforms(const QueryState& state, RequestContext& context,
                                                 const PrimBatch& batch, bool with_local,
                                                 ReplyBudget& budget,
                                                 v1::ComputeTransformsResponse* response) {
  const size_t items = batch.item_count();
  const Packing packing = PackingOf(ValueType::kMatrix4d);
  XformColumns columns;
  columns.world =
      FillPackedUninitialized(packing, items, budget, response->mutable_local_to_world());
  if (with_local) {
    columns.local = FillPackedUninitialized(packing, items, budget, response->mutable_local());
  }
  if (!budget.ok()) return budget.status();
  return ComputeXformsInto(columns, context, batch.prims, batch.times,
                           state.stages.environment().executor);
}

void FillResets(const std::vector<bool>& resets, size_t times,
                v1::ComputeTransformsResponse* response) {
  auto* out = response->mutable_resets_xform_stack();
  out->Resize(static_cast<int>(resets.size() * times), false);
  for (size_t p = 0; p < resets.size(); ++p) {
    if (resets[p]) std::fill_n(out->mutable_data() + p * times, times, true);
  }
}

}  // namespace

absl::Status ComputeTransforms(const QueryState& state, RequestContext& context,
                               const v1::ComputeTransformsRequest& request,
                               v1::ComputeTransformsResponse* response) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(const PrimBatch batch, ParsePrimBatch(state, context, request));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerPathsOrTimes);
  batch.FillErrors(budget, response->mutable_path_errors());
  if (request.has_sample_policy()) {
    SD_RETURN_IF_ERROR(FillTransformSamples(state, context, batch, request, budget, response));
    return batch.leased.CheckRead();
  }
  if (!budget.Charge(batch.item_count())) return budget.status();
  SD_ASSIGN_OR_RETURN(
      const std::vector<bool> resets,
      MayHaveBlocks(request, batch)
          ? FillTransformBlocks(state, context, batch, budget, response)
          : FillTransforms(state, context, batch, request.with_local(), budget, response));
  FillResets(resets, batch.times.size(), response);
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

absl::Status ComputeVisibility(const QueryState& state, RequestContext& context,
                               const v1::ComputeVisibilityRequest& request,
                               v1::ComputeVisibilityResponse* response) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(const std::vector<Token> effective, ParseEffectivePurposes(request));
  SD_ASSIGN_OR_RETURN(const PrimBatch batch, ParsePrimBatch(state, context, request));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerPathsOrTimes);
  batch.FillErrors(budget, response->mutable_path_errors());
  const size_t items = batch.item_count();
  if (!budget.Charge((items * (1 + effective.size()) + batch.prims.size()) * sizeof(int))) {
    return budget.status();
  }
  response->mutable_visibility()->Resize(static_cast<int>(items), v1::VISIBILITY_UNSPECIFIED);
  response->mutable_effective_visibility()->Resize(static_cast<int>(items * effective.size()),
                                                   v1::VISIBILITY_UNSPECIFIED);
  FillPurposes(context, batch, budget, response);
  if (request.with_proxy_prims()) FillProxyPrims(context, batch, budget, response);
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(ForEachItem(context, batch, [&](const Prim& prim, TimeCode time, size_t item) {
    const bool invisible = stagedoor::ComputeVisibility(context, prim, time) == Geom().invisible;
    response->set_visibility(static_cast<int>(item),
                             invisible ? v1::VISIBILITY_INVISIBLE : v1::VISIBILITY_INHERITED);
    for (size_t i = 0; i < effective.size(); ++i) {
      response->set_effective_visibility(static_cast<int>(item * effective.size() + i),
                                         EffectiveVisibilityToProto(ComputeEffectiveVisibility(
                                             context, prim, effective[i], time)));
    }
  }));
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server
