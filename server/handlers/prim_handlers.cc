#include "server/handlers/prim_handlers.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/traversal_budget.h"
#include "server/check_count.h"
#include "server/converters/prim_converter.h"
#include "server/converters/prim_wire.h"
#include "server/converters/time_converter.h"
#include "server/queries/find_roots.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerPrims =
    "request fewer times, or leave values out of read_mask and read them with StreamValues";

// The fields that requests without a read mask get.
constexpr PrimMask kDefaultOfGetPrim{kPrimSummary | FieldSet({v1::Prim::kChildrenFieldNumber})};
constexpr PrimMask kDefaultOfTraverse{kPrimSummary};

// Parses what GetPrim and Traverse requests have in common. `otherwise` is the default mask.
template <typename Request>
absl::StatusOr<PrimView> ParseView(const QueryState& state, RequestContext& context,
                                   const LeasedStage& leased, const Request& request,
                                   PrimMask otherwise) {
  PrimView view;
  SD_ASSIGN_OR_RETURN(view.mask, ParsePrimMask(request.read_mask(), otherwise));
  SD_ASSIGN_OR_RETURN(view.predicate,
                      ParsePredicate(request.predicate(), v1::PrimPredicate::PRESET_DEFAULT));
  if (view.mask.NeedsTimes()) {
    SD_ASSIGN_OR_RETURN(view.times, ParseTimes(context, request.times(), state.limits.max_times));
  }
  SD_ASSIGN_OR_RETURN(view.property_names, ParsePropertyNames(request.property_names()));
  view.interpolation = ParseInterpolation(request.interpolation(), leased.session->interpolation());
  return view;
}

class TraverseStream final : public ChunkedStream<WireWriter> {
 public:
  TraverseStream(RequestContext& context, const ServerLimits& limits, LeasedStage leased,
                 PrimView view, std::vector<Prim> roots, const v1::TraverseRequest& request)
      : ChunkedStream(context, limits, ChunkBytes(request, limits), kFewerPrims),
        leased_(std::move(leased)),
        view_(std::move(view)),
        roots_(std::move(roots)),
        visits_(leased_.stage()),
        max_depth_(request.has_max_depth() ? request.max_depth() : UINT32_MAX) {
    for (const std::string& type : request.schema_types()) {
      if (const auto token = Token::Find(type)) types_.push_back(*token);
    }
    filter_types_ = request.schema_types_size() != 0;
  }

 private:
  static constexpr size_t kSpareBytes = 4096;

  absl::StatusOr<bool> Make(RequestContext& context, WireWriter* out) override {
    using R = v1::TraverseResponse;
    out->Reserve(chunk_bytes() + kSpareBytes);
    if (!started_) out->Bytes(R::kSnapshotFieldNumber, leased_.snapshot->fingerprint());
    bool any = std::exchange(first_, false);
    while (out->size() < chunk_bytes() && HasRoom() && Advance()) {
      budget().StartItem();
      if (!budget().Charge(0)) return budget().status();
      const Prim& prim = **at_;
      if (!visits_.Spend(context, prim)) return context.Check();
      if (!Wanted(prim)) continue;
      any = true;
      if (IsHeavy()) {
        SD_RETURN_IF_ERROR(WriteHeavy(prim, out));
      } else {
        WritePrim(R::kPrimsFieldNumber, prim, view_.mask, out);
      }
    }
    SD_RETURN_IF_ERROR(view_.mask.NeedsTimes() ? leased_.CheckRead() : leased_.CheckKnownChanges());
    return any;
  }

  // Fails only if the request is over: a prim that is too large gets an error of its own.
  absl::Status WriteHeavy(const Prim& prim, WireWriter* out) {
    v1::Prim message;
    FillPrim(prim, view_, budget(), &message);
    if (budget().ok()) budget().Charge(message.ByteSizeLong());  // the message in wire form too
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), 0, &message));
    if (message.has_error()) message.set_path(budget().Text(prim.PathText()));
    out->Message(v1::TraverseResponse::kPrimsFieldNumber, message);
    return absl::OkStatus();
  }

  // Advances to the next prim, possibly of the next root; false at the end.
  bool Advance() {
    if (started_ && at_.has_value()) {
      if (at_->depth() >= max_depth_) at_->PruneChildren();
      ++*at_;
    }
    started_ = true;
    while (!at_.has_value() || *at_ == PrimRange::End()) {
      if (next_root_ == roots_.size()) return false;
      at_.emplace(PrimRange(roots_[next_root_++], view_.predicate).begin());
    }
    return true;
  }

  bool Wanted(const Prim& prim) const {
    if (!filter_types_) return true;
    for (const Token type : types_) {
      if (prim.IsA(type)) return true;
    }
    return false;
  }

  bool IsHeavy() const { return (view_.mask.prim & ~kPrimSummary) != 0; }

  const LeasedStage leased_;
  const PrimView view_;
  const std::vector<Prim> roots_;
  TraversalBudget visits_;
  const uint32_t max_depth_;
  std::vector<Token> types_;
  bool filter_types_ = false;
  std::optional<PrimRange::Iterator> at_;
  size_t next_root_ = 0;
  bool started_ = false;
  bool first_ = true;  // an empty traversal still reports the snapshot
};

}  // namespace

absl::Status GetPrim(const QueryState& state, RequestContext& context,
                     const v1::GetPrimRequest& request, v1::GetPrimResponse* response) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const PrimView view,
                      ParseView(state, context, leased, request, kDefaultOfGetPrim));
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(leased.stage(), request.path()));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerPrims);
  SD_RETURN_IF_ERROR(budget.UseDigestOptions(request));
  FillPrim(prim, view, budget, response->mutable_prim());
  SD_RETURN_IF_ERROR(budget.status());
  return view.mask.NeedsTimes() ? leased.CheckRead() : leased.CheckKnownChanges();
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> Traverse(const QueryState& state,
                                                       RequestContext& context,
                                                       const v1::TraverseRequest& request) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(PrimView view,
                      ParseView(state, context, leased, request, kDefaultOfTraverse));
  SD_RETURN_IF_ERROR(context.Reserve(ChunkBytes(request, state.limits), "a message"));
  SD_ASSIGN_OR_RETURN(std::vector<Prim> roots,
                      FindRoots(context, leased.stage(), request.roots(), state.limits.max_paths));
  if (roots.empty()) roots.push_back(leased.stage().PseudoRoot());
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<TraverseStream>(context, state.limits, std::move(leased),
                                                 std::move(view), std::move(roots), request);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

}  // namespace stagedoor::server
