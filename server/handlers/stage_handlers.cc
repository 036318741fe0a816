#include "server/handlers/stage_handlers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/converters/reply_budget.h"
#include "server/converters/stage_converter.h"
#include "server/error_info.h"
#include "server/handlers/leased_stage.h"
#include "server/handlers/stage_key_parser.h"

namespace stagedoor::server {
namespace {

using Ttl = LeaseTable::Clock::duration;

constexpr std::string_view kAdvice = "request fewer details";
constexpr size_t kMaxClientNameBytes = 200;
constexpr size_t kMaxClientNames = 100;  // per stage in ListStages

// The part of a request's text that is shown in an error.
std::string_view Shown(std::string_view text) { return text.substr(0, 200); }

Ttl ToTtl(const google::protobuf::Duration& duration) {
  // Clamped far above any limit, so that the conversion cannot overflow.
  const int64_t seconds = std::clamp<int64_t>(duration.seconds(), 0, 1 << 30);
  return std::chrono::seconds(seconds) + std::chrono::nanoseconds(duration.nanos());
}

void FillExpiry(Ttl ttl, google::protobuf::Timestamp* out) {
  const auto expiry = std::chrono::system_clock::now() + ttl;
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(expiry.time_since_epoch()).count();
  out->set_seconds(nanoseconds / 1000000000);
  out->set_nanos(static_cast<int32_t>(nanoseconds % 1000000000));
}

// The number of the last stage of the previous page; 0 for the first page.
absl::StatusOr<uint64_t> ParsePageToken(const std::string& token) {
  if (token.empty()) return 0;
  if (const auto number = ParseNumber<uint64_t>(token)) return *number;
  return InvalidFieldError("page_token", Shown(token), "is not a token returned by ListStages");
}

// A stage to be listed.
struct Listed {
  std::shared_ptr<const StageSnapshot> snapshot;
  std::shared_ptr<StageSession> session;  // of any of its handles; null if it has none
  std::set<std::string> client_names;
};

// The stages whose snapshot has a number above `after`, leased or idle, by that number.
absl::StatusOr<std::map<uint64_t, Listed>> StagesAfter(ServerState& state, RequestContext& context,
                                                       uint64_t after) {
  std::map<uint64_t, Listed> stages;
  Pacer pacer(context);
  for (auto& session : state.leases.Sessions()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const auto snapshot = session->Snapshot(0);
    if (!snapshot.ok() || (*snapshot)->number() <= after) continue;
    Listed& listed = stages[(*snapshot)->number()];
    listed.snapshot = *snapshot;
    const std::string& name = session->client_name();
    if (!name.empty() && listed.client_names.size() < kMaxClientNames) {
      listed.client_names.insert(name);
    }
    listed.session = std::move(session);
  }
  for (auto& snapshot : state.stages.Idle()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (snapshot->number() > after) stages[snapshot->number()].snapshot = snapshot;
  }
  return stages;
}

}  // namespace

absl::Status OpenStage(ServerState& state, RequestContext& context,
                       const v1::OpenStageRequest& request, v1::OpenStageResponse* response) {
  if (request.client_name().size() > kMaxClientNameBytes) {
    return InvalidFieldError("client_name", Shown(request.client_name()),
                             Concat("must not exceed ", kMaxClientNameBytes, " bytes"));
  }
  SD_ASSIGN_OR_RETURN(StageKey stage_key, ParseStageKey(state, context, request));
  SD_ASSIGN_OR_RETURN(const StageCache::Opened opened, state.stages.Open(context, stage_key));
  auto session = std::make_shared<StageSession>(state.stages, std::move(stage_key), opened.snapshot,
                                                request.client_name());
  SD_RETURN_IF_ERROR(state.stages.MakeRoom(context));
  ReplyBudget budget(context, state.limits.max_reply_bytes, kAdvice);
  v1::Stage* stage = response->mutable_stage();
  FillStage(*opened.snapshot, budget, stage);
  FillSession(*session, stage);
  response->set_opened(opened.fresh);
  google::protobuf::Timestamp* expiry = stage->mutable_lease_expire_time();
  std::string* handle = stage->mutable_handle();
  // Added last, so that a call that fails does not leave a lease behind.
  SD_ASSIGN_OR_RETURN(LeaseTable::Grant grant,
                      state.leases.Add(std::move(session), ToTtl(request.lease_ttl())));
  FillExpiry(grant.ttl, expiry);
  *handle = std::move(grant.handle);
  return absl::OkStatus();
}

absl::Status GetStage(ServerState& state, RequestContext& context,
                      const v1::GetStageRequest& request, v1::GetStageResponse* response) {
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, request.stage()));
  ReplyBudget budget(context, state.limits.max_reply_bytes, kAdvice);
  v1::Stage* stage = response->mutable_stage();
  FillStage(*leased.snapshot, budget, stage);
  FillSession(*leased.session, stage);
  stage->set_handle(request.stage().handle());
  FillExpiry(state.leases.RemainingTtl(request.stage().handle()),
             stage->mutable_lease_expire_time());
  for (const int detail : request.details()) {
    SD_RETURN_IF_ERROR(context.Check());
    switch (detail) {
      case v1::STAGE_DETAIL_METADATA:
        FillStageMetadata(leased.stage(), budget, stage);
        break;
      case v1::STAGE_DETAIL_USED_LAYERS:
        FillUsedLayers(leased.stage(), budget, stage);
        break;
      case v1::STAGE_DETAIL_COMPOSITION_ERRORS:
        FillCompositionErrors(leased.stage(), budget, stage);
        break;
      default:
        return InvalidFieldError("details", Concat(detail), "unknown stage detail");
    }
  }
  return budget.status();
}

absl::Status ListStages(ServerState& state, RequestContext& context,
                        const v1::ListStagesRequest& request, v1::ListStagesResponse* response) {
  if (request.page_size() < 0) {
    return InvalidFieldError("page_size", Concat(request.page_size()), "must not be negative");
  }
  const size_t page_size =
      request.page_size() == 0
          ? std::min<size_t>(100, state.limits.max_page_size)
          : std::min(static_cast<size_t>(request.page_size()), state.limits.max_page_size);
  // Snapshot numbers ascend in order of opening; the token is the last number of the previous page.
  SD_ASSIGN_OR_RETURN(const uint64_t after, ParsePageToken(request.page_token()));
  SD_ASSIGN_OR_RETURN(const auto stages, StagesAfter(state, context, after));
  ReplyBudget budget(context, state.limits.max_reply_bytes, "request a smaller page");
  for (const auto& [number, listed] : stages) {
    if (static_cast<size_t>(response->stages_size()) == page_size) {
      response->set_next_page_token(
          Concat(response->stages(response->stages_size() - 1).snapshot()));
      break;
    }
    v1::Stage* stage = budget.Add(response->mutable_stages());
    FillStage(*listed.snapshot, budget, stage);
    if (listed.session != nullptr) FillSession(*listed.session, stage);
    for (const std::string& name : listed.client_names) {
      budget.AddText(name, stage->mutable_client_names());
    }
    if (!budget.ok()) return budget.status();
  }
  return budget.status();
}

absl::Status CloseStage(ServerState& state, RequestContext&, const v1::CloseStageRequest& request,
                        v1::CloseStageResponse*) {
  SD_RETURN_IF_ERROR(state.leases.Remove(request.handle()));
  state.stages.Trim();
  return absl::OkStatus();
}

absl::Status RenewLease(ServerState& state, RequestContext&, const v1::RenewLeaseRequest& request,
                        v1::RenewLeaseResponse* response) {
  SD_ASSIGN_OR_RETURN(const Ttl ttl,
                      state.leases.Renew(request.handle(), ToTtl(request.lease_ttl())));
  FillExpiry(ttl, response->mutable_lease_expire_time());
  return absl::OkStatus();
}

}  // namespace stagedoor::server
