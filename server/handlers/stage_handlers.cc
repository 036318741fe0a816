#include "server/handlers/stage_handlers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/stage/stage.h"
#include "server/access/caller.h"
#include "server/access/check_caller.h"
#include "server/converters/duration_converter.h"
#include "server/converters/reply_budget.h"
#include "server/converters/stage_converter.h"
#include "server/error_info.h"
#include "server/sessions/audit.h"
#include "server/sessions/caller_scope.h"
#include "server/sessions/follow_changes.h"
#include "server/sessions/lease_owner.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/repeatable_request.h"
#include "server/sessions/session_state.h"
#include "server/sessions/shared_sessions.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/lease_table.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {
namespace {

using Ttl = LeaseTable::Clock::duration;

constexpr std::string_view kFewerDetails = "request fewer details";
constexpr size_t kMaxNameBytes = 200;
constexpr size_t kMaxClientNames = 100;  // per stage in ListStages

// The part of a request's text that is shown in an error.
std::string_view Shown(std::string_view text) { return text.substr(0, 200); }

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
  std::set<std::string> client_names;
};

// The stages whose snapshot has a number above `after`, leased or idle, by that number.
absl::StatusOr<std::map<uint64_t, Listed>> StagesAfter(const SessionState& state,
                                                       RequestContext& context, uint64_t after) {
  std::map<uint64_t, Listed> stages;
  Pacer pacer(context);
  for (const LeaseTable::Living& lease : state.queries.leases.All()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const std::string& client_name = lease.owner.client_name;
    auto snapshot = lease.session->Newest();
    if (snapshot->number() <= after) continue;
    Listed& listed = stages[snapshot->number()];
    listed.snapshot = std::move(snapshot);
    if (!client_name.empty() && listed.client_names.size() < kMaxClientNames) {
      listed.client_names.insert(client_name);
    }
  }
  for (auto& snapshot : state.assets.stages.Idle()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (snapshot->number() > after) stages[snapshot->number()].snapshot = snapshot;
  }
  return stages;
}

// The stage with an ID of ListStages.
absl::StatusOr<std::shared_ptr<const StageSnapshot>> FindById(const SessionState& state,
                                                              RequestContext& context,
                                                              const std::string& id) {
  if (const auto number = ParseNumber<uint64_t>(id); number.has_value() && *number != 0) {
    SD_ASSIGN_OR_RETURN(const auto stages, StagesAfter(state, context, *number - 1));
    const auto it = stages.find(*number);
    if (it != stages.end()) return it->second.snapshot;
  }
  return WithReason(NotFoundError("no stage with the ID ", Quoted(Shown(id)), " is open"),
                    v1::ERROR_REASON_STAGE_NOT_FOUND);
}

// Checks the names that a client gave in a request.
absl::Status CheckNames(const v1::OpenStageRequest& request) {
  for (const auto& [field, name] :
       {std::pair<std::string_view, const std::string&>("client_name", request.client_name()),
        {"session", request.session()}}) {
    if (name.size() > kMaxNameBytes) {
      return InvalidFieldError(field, Shown(name),
                               Concat("must not exceed ", kMaxNameBytes, " bytes"));
    }
  }
  return absl::OkStatus();
}

// A session that a request has opened or joined.
struct OpenedSession {
  std::shared_ptr<StageSession> session;
  bool fresh = false;  // whether the stage was composed for it
};

// FAILED_PRECONDITION (SESSION_CONFLICT) if a named session is not on the stage of the request.
absl::Status CheckSameStage(const StageSession& session, const std::string& routing_key,
                            Interpolation interpolation, ChangePolicy policy) {
  if (session.routing_key() == routing_key && session.interpolation() == interpolation &&
      session.policy() == policy) {
    return absl::OkStatus();
  }
  return WithReason(
      FailedPreconditionError("session ", Quoted(session.name()),
                              " was opened with another root layer or other options; choose "
                              "another name, or open it with the same"),
      v1::ERROR_REASON_SESSION_CONFLICT, {{"session", session.name()}});
}

absl::StatusOr<OpenedSession> OpenSession(const SessionState& state, RequestContext& context,
                                          const v1::OpenStageRequest& request) {
  SD_ASSIGN_OR_RETURN(StageKey stage_key, ParseStageKey(state.assets, context, request));
  const std::string cache_key = stage_key.CacheKey();
  const std::string routing_key = RoutingKeyOf(cache_key);
  const Interpolation interpolation = stage_key.options.interpolation;
  const ChangePolicy policy = stage_key.policy;
  const std::string& name = request.session();
  if (!name.empty()) {
    auto known = state.sessions.Find(OwnerOfSessions(), name);
    if (known == nullptr) {
      SD_ASSIGN_OR_RETURN(known, state.queries.sharing.FindNamed(context, name));
    }
    if (known != nullptr) {
      SD_RETURN_IF_ERROR(CheckSameStage(*known, routing_key, interpolation, policy));
      return OpenedSession{std::move(known)};
    }
  }
  SD_ASSIGN_OR_RETURN(const StageCache::Opened opened,
                      state.assets.stages.Open(context, stage_key, cache_key));
  // The equal context of the stage, so that the session need not keep that of the request.
  stage_key.options.resolver_context = opened.snapshot->stage().options().resolver_context;
  OpenedSession result{std::make_shared<StageSession>(state.assets.stages, std::move(stage_key),
                                                      routing_key, opened.snapshot, name),
                       opened.fresh};
  SD_ASSIGN_OR_RETURN(result.session,
                      state.queries.sharing.Share(context, request, std::move(result.session)));
  if (!name.empty()) {
    result.session = state.sessions.FindOrAdd(OwnerOfSessions(), std::move(result.session));
    SD_RETURN_IF_ERROR(CheckSameStage(*result.session, routing_key, interpolation, policy));
  }
  return result;
}

// Grants a lease on the session, unless a request with the same ID got one meanwhile.
absl::StatusOr<std::string> GrantLease(const SessionState& state, RequestContext& context,
                                       const v1::OpenStageRequest& request,
                                       const RepeatableRequest& repeatable,
                                       std::shared_ptr<StageSession> session) {
  const LeaseTable::Owner owner = OwnerOfLease(request.client_name());
  SD_ASSIGN_OR_RETURN(const LeaseTable::Grant grant,
                      state.queries.leases.Add(session, ToNanoseconds(request.lease_ttl()), owner));
  absl::StatusOr<std::string> kept = state.opened.Add(repeatable, grant.handle);
  if (kept.ok() && *kept == grant.handle) {
    const absl::Status shared = state.queries.sharing.ShareLease(
        context, {grant.handle, std::move(session), grant.ttl, owner});
    if (!shared.ok()) kept = shared;
  }
  if (!kept.ok() || *kept != grant.handle) {
    state.queries.leases.Remove(grant.handle, CurrentCallerName()).IgnoreError();
  }
  return kept;
}

// The handle that an earlier call with the same ID returned, if its lease still exists.
absl::StatusOr<std::optional<std::string>> EarlierHandle(const SessionState& state,
                                                         RequestContext& context,
                                                         const RepeatableRequest& repeatable) {
  SD_ASSIGN_OR_RETURN(auto handle, state.opened.Find(repeatable));
  if (!handle.has_value() || AcquireSession(state.queries, context, *handle).ok()) return handle;
  state.opened.Forget(repeatable.id);
  return std::nullopt;
}

// Describes the session of a lease in the reply.
absl::Status FillOpened(const SessionState& state, RequestContext& context,
                        const StageSession& session, v1::OpenStageResponse* response) {
  ReplyBudget budget(context, state.assets.limits.max_reply_bytes, kFewerDetails);
  FillStage(*session.Newest(), budget, response->mutable_stage());
  FillSession(session, response->mutable_stage());
  response->set_routing_key(session.routing_key());
  return budget.status();
}

absl::Status FillDetails(const Stage& stage, RequestContext& context,
                         const v1::GetStageRequest& request, ReplyBudget& budget, v1::Stage* out) {
  for (const int detail : request.details()) {
    SD_RETURN_IF_ERROR(context.Check());
    switch (detail) {
      case v1::STAGE_DETAIL_METADATA:
        FillStageMetadata(stage, budget, out);
        break;
      case v1::STAGE_DETAIL_USED_LAYERS:
        FillUsedLayers(stage, budget, out);
        break;
      case v1::STAGE_DETAIL_COMPOSITION_ERRORS:
        FillCompositionErrors(stage, budget, out);
        break;
      default:
        return InvalidFieldError("details", Concat(detail), "unknown stage detail");
    }
  }
  return budget.status();
}

}  // namespace

absl::Status OpenStage(const SessionState& state, RequestContext& context,
                       const v1::OpenStageRequest& request, v1::OpenStageResponse* response) {
  // Parse.
  SD_RETURN_IF_ERROR(CheckNames(request));
  SD_ASSIGN_OR_RETURN(const RepeatableRequest repeatable,
                      IdentifyRequest(context, request.request_id(), request));
  // Look up the lease of an earlier call; without one, open the stage and grant a lease.
  SD_ASSIGN_OR_RETURN(std::optional<std::string> handle, EarlierHandle(state, context, repeatable));
  if (!handle.has_value()) {
    const absl::StatusOr<OpenedSession> session = OpenSession(state, context, request);
    AuditOpening(state.assets.audit, "open stage", request.root_layer(), session.status());
    SD_ASSIGN_OR_RETURN(const OpenedSession opened, session);
    SD_RETURN_IF_ERROR(state.assets.stages.MakeRoom(context));
    SD_RETURN_IF_ERROR(FillOpened(state, context, *opened.session, response));
    response->set_opened(opened.fresh);
    // Granted last, so that a call that fails does not leave a lease behind.
    SD_ASSIGN_OR_RETURN(handle, GrantLease(state, context, request, repeatable, opened.session));
    FollowChanges(state.follower, opened.session);
    response->mutable_stage()->set_lease_count(opened.session->lease_count());
  } else {
    SD_ASSIGN_OR_RETURN(const auto session, AcquireSession(state.queries, context, *handle));
    SD_RETURN_IF_ERROR(FillOpened(state, context, *session, response));
  }
  // Fill the reply.
  FillExpiry(state.queries.leases.RemainingTtl(*handle), response->mutable_lease_expire_time());
  response->set_handle(*std::move(handle));
  return absl::OkStatus();
}

absl::Status GetStage(const SessionState& state, RequestContext& context,
                      const v1::GetStageRequest& request, v1::GetStageResponse* response) {
  ReplyBudget budget(context, state.assets.limits.max_reply_bytes, kFewerDetails);
  v1::Stage* stage = response->mutable_stage();
  if (!request.has_stage() && !request.id().empty()) {
    SD_RETURN_IF_ERROR(CheckCallerMay(RpcGroup::kAdmin));  // it may be the stage of another caller
    SD_ASSIGN_OR_RETURN(const auto snapshot, FindById(state, context, request.id()));
    FillStage(*snapshot, budget, stage);
    return FillDetails(snapshot->stage(), context, request, budget, stage);
  }
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased,
                      AcquireStage(state.queries, context, request.stage()));
  // Fill the reply.
  FillStage(*leased.snapshot, budget, stage);
  FillSession(*leased.session, stage);
  FillExpiry(state.queries.leases.RemainingTtl(request.stage().handle()),
             response->mutable_lease_expire_time());
  return FillDetails(leased.stage(), context, request, budget, stage);
}

absl::Status ListStages(const SessionState& state, RequestContext& context,
                        const v1::ListStagesRequest& request, v1::ListStagesResponse* response) {
  if (request.page_size() < 0) {
    return InvalidFieldError("page_size", Concat(request.page_size()), "must not be negative");
  }
  const size_t page_size =
      request.page_size() == 0
          ? std::min<size_t>(100, state.assets.limits.max_page_size)
          : std::min(static_cast<size_t>(request.page_size()), state.assets.limits.max_page_size);
  // Snapshot numbers ascend in order of opening; the token is the last number of the previous page.
  SD_ASSIGN_OR_RETURN(const uint64_t after, ParsePageToken(request.page_token()));
  // Look up the stages.
  SD_ASSIGN_OR_RETURN(const auto stages, StagesAfter(state, context, after));
  // Fill the reply.
  ReplyBudget budget(context, state.assets.limits.max_reply_bytes, "request a smaller page");
  for (const auto& [number, listed] : stages) {
    if (static_cast<size_t>(response->stages_size()) == page_size) {
      response->set_next_page_token(response->stages(response->stages_size() - 1).id());
      break;
    }
    v1::Stage* stage = budget.Add(response->mutable_stages());
    FillStage(*listed.snapshot, budget, stage);
    for (const std::string& name : listed.client_names) {
      budget.AddText(name, stage->mutable_client_names());
    }
    if (!budget.ok()) return budget.status();
  }
  return budget.status();
}

absl::Status CloseStage(const SessionState& state, RequestContext& context,
                        const v1::CloseStageRequest& request, v1::CloseStageResponse*) {
  absl::Status removed = state.queries.leases.Remove(request.handle(), CurrentCallerName());
  state.assets.stages.Trim();
  return state.queries.sharing.EndLease(context, request.handle(), std::move(removed));
}

absl::Status RenewLease(const SessionState& state, RequestContext& context,
                        const v1::RenewLeaseRequest& request, v1::RenewLeaseResponse* response) {
  SD_RETURN_IF_ERROR(AcquireSession(state.queries, context, request.handle()).status());
  SD_ASSIGN_OR_RETURN(const Ttl ttl,
                      state.queries.leases.Renew(request.handle(), CurrentCallerName(),
                                                 ToNanoseconds(request.lease_ttl())));
  FillExpiry(ttl, response->mutable_lease_expire_time());
  const auto lease = state.queries.leases.Find(request.handle());
  if (!lease.has_value()) return absl::OkStatus();
  return state.queries.sharing.UpdateLease(context, *lease);
}

}  // namespace stagedoor::server
