#include "server/handlers/warm_handler.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/clips/clip_source.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/queries/closed_interval.h"
#include "server/rpc/request_message.h"
#include "server/sessions/source_state.h"
#include "server/sessions/stage_source.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

// The work between two messages.
constexpr size_t kPrimsPerMessage = 1024;
constexpr size_t kClipSetsPerMessage = 64;
constexpr size_t kMaxWarmErrors = 100;
// The memory that one clip set takes while it waits.
constexpr size_t kClipSetBytes = 64;

using Response = v1::WarmStageResponse;

class WarmStream final : public ResponseStream<Response> {
 public:
  WarmStream(const SourceState& state, RequestContext& context, const v1::WarmStageRequest& request,
             std::optional<ClosedInterval> interval)
      : state_(state),
        interval_(interval),
        sources_(state.assets.stages.sources()),
        budget_(context, state.assets.limits.max_reply_bytes, "warm fewer prims") {
    request_->CopyFrom(request);
  }

  absl::StatusOr<bool> Next(RequestContext& context, Response* response) override {
    if (phase_ == Response::PHASE_DONE) return false;
    SD_RETURN_IF_ERROR(Step(context));
    SD_RETURN_IF_ERROR(context.Check());
    response->set_phase(phase_);
    response->set_done(done_);
    if (phase_ == Response::PHASE_ATTRIBUTES) response->set_total(stage().prim_count());
    if (phase_ == Response::PHASE_CLIPS) response->set_total(clip_sets_.size());
    if (phase_ == Response::PHASE_DONE) {
      SD_RETURN_IF_ERROR(sources_.CheckKnownChanges(stage()));
      SD_RETURN_IF_ERROR(budget_.status());
      FillResult(response->mutable_result());
    }
    return true;
  }

  bool AtEnd() const override { return phase_ == Response::PHASE_DONE; }

 private:
  const Stage& stage() const { return warmed_.snapshot->stage(); }

  // Does the work before the next message.
  absl::Status Step(RequestContext& context) {
    switch (phase_) {
      case Response::PHASE_UNSPECIFIED:
        phase_ = Response::PHASE_OPENING;
        return absl::OkStatus();
      case Response::PHASE_OPENING:
        SD_RETURN_IF_ERROR(Open(context));
        phase_ = Response::PHASE_ATTRIBUTES;
        return absl::OkStatus();
      case Response::PHASE_ATTRIBUTES:
        return VisitPrims(context);
      default:
        return OpenClips(context);
    }
  }

  absl::Status Open(RequestContext& context) {
    SD_ASSIGN_OR_RETURN(warmed_, AcquireSource(state_, context, request_->source()));
    visits_.emplace(stage());
    const auto& paths = request_->prim_paths();
    if (paths.empty()) roots_.push_back({stage().PseudoRoot(), 0});
    SD_RETURN_IF_ERROR(context.Reserve(static_cast<size_t>(paths.size()) * sizeof(Root), "paths"));
    for (int i = 0; i < paths.size(); ++i) {
      const absl::StatusOr<Prim> prim = LookUpPrim(stage(), paths[i]);
      if (prim.ok()) {
        roots_.push_back({*prim, static_cast<uint32_t>(i)});
      } else {
        AddError(prim.status(), static_cast<uint32_t>(i));
      }
      SD_RETURN_IF_ERROR(context.Check());
    }
    return absl::OkStatus();
  }

  absl::Status VisitPrims(RequestContext& context) {
    for (size_t i = 0; i < kPrimsPerMessage; ++i) {
      if (!Advance()) {
        phase_ = Response::PHASE_CLIPS;
        done_ = 0;
        reported_all_ = clip_sets_.empty();
        return absl::OkStatus();
      }
      const Prim& prim = **at_;
      if (!visits_->Spend(context, prim)) return context.Check();
      if (prim.IsPseudoRoot()) continue;
      result_.set_prims(result_.prims() + 1);
      // Prims below several paths are visited more than once.
      if (done_ < stage().prim_count()) ++done_;
      SD_RETURN_IF_ERROR(CompileAttributes(context, prim));
      if (interval_.has_value()) SD_RETURN_IF_ERROR(CollectClips(context, prim));
    }
    return absl::OkStatus();
  }

  // Advances to the next prim, possibly of the next root; false at the end.
  bool Advance() {
    if (at_.has_value() && !(*at_ == PrimRange::End())) ++*at_;
    while (!at_.has_value() || *at_ == PrimRange::End()) {
      if (next_root_ == roots_.size()) return false;
      at_.emplace(PrimRange(roots_[next_root_++].prim, PrimFlagsPredicate::Default()).begin());
    }
    return true;
  }

  absl::Status CompileAttributes(RequestContext& context, const Prim& prim) {
    const std::string prim_path = prim.PathText();
    for (const Token name : prim.AuthoredPropertyNames()) {
      SD_RETURN_IF_ERROR(context.Spend(1));
      if (!prim.GetAttribute(name).valid()) continue;
      if (!stage().queries().HasRoom()) {
        result_.set_skipped_attributes(result_.skipped_attributes() + 1);
        continue;
      }
      const auto query =
          warmed_.snapshot->FindAttribute(context, Concat(prim_path, ".", name.text()));
      SD_RETURN_IF_ERROR(context.Check());
      if (query.ok()) {
        result_.set_attributes(result_.attributes() + 1);
      } else {
        AddError(query.status(), roots_[next_root_ - 1].index);
      }
    }
    return absl::OkStatus();
  }

  // The descendants of the prim that has the clip metadata share its clip sets.
  absl::Status CollectClips(RequestContext& context, const Prim& prim) {
    if (prim.clips() == nullptr) return absl::OkStatus();
    for (const auto& source : *prim.clips()) {
      if (known_.contains(source.get())) continue;
      SD_RETURN_IF_ERROR(context.Reserve(kClipSetBytes, "the clip sets of a stage"));
      known_.insert(source.get());
      clip_sets_.push_back(source.get());
    }
    return absl::OkStatus();
  }

  absl::Status OpenClips(RequestContext& context) {
    for (size_t i = 0; i < kClipSetsPerMessage && done_ < clip_sets_.size(); ++i) {
      if (!interval_->empty()) {
        clip_sets_[done_]->Prefetch(context, interval_->first, interval_->last, &tally_);
      }
      SD_RETURN_IF_ERROR(context.Check());
      ++done_;
    }
    if (done_ == clip_sets_.size() && reported_all_) {
      phase_ = Response::PHASE_DONE;
      done_ = 0;
    }
    reported_all_ = done_ == clip_sets_.size();
    return absl::OkStatus();
  }

  void AddError(const absl::Status& error, uint32_t item) {
    result_.set_error_count(result_.error_count() + 1);
    if (static_cast<size_t>(result_.errors_size()) == kMaxWarmErrors) return;
    budget_.FillError(error, item, result_.add_errors());
  }

  void FillResult(v1::WarmStageResult* result) {
    result_.set_snapshot(warmed_.snapshot->fingerprint());
    result_.set_routing_key(warmed_.routing_key);
    result_.set_clips(tally_.opened);
    result_.set_skipped_clips(tally_.skipped);
    result->Swap(&result_);
  }

  struct Root {
    Prim prim;
    uint32_t index;  // in the paths of the request
  };

  const SourceState& state_;
  RequestMessage<v1::WarmStageRequest> request_;
  const std::optional<ClosedInterval> interval_;
  const SourceCheck sources_;
  ReplyBudget budget_;
  Response::Phase phase_ = Response::PHASE_UNSPECIFIED;
  uint64_t done_ = 0;  // in the phase
  SourceStage warmed_;
  v1::WarmStageResult result_;
  // The traversal.
  std::vector<Root> roots_;
  size_t next_root_ = 0;
  std::optional<TraversalBudget> visits_;
  std::optional<PrimRange::Iterator> at_;
  // The clip sets of the prims, owned by the snapshot.
  std::vector<const ClipSource*> clip_sets_;
  std::unordered_set<const ClipSource*> known_;
  PrefetchTally tally_;
  bool reported_all_ = false;  // whether a message said that all clip sets are visited
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<Response>> WarmStage(const SourceState& state,
                                                      RequestContext& context,
                                                      const v1::WarmStageRequest& request) {
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.prim_paths_size()),
                                state.assets.limits.max_paths, "paths"));
  std::optional<ClosedInterval> interval;
  if (request.has_interval()) {
    SD_ASSIGN_OR_RETURN(interval, ParseClosedInterval(request.interval()));
  }
  return std::make_unique<WarmStream>(state, context, request, interval);
}

}  // namespace stagedoor::server
