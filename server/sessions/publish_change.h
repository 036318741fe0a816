#ifndef STAGEDOOR_SERVER_SESSIONS_PUBLISH_CHANGE_H_
#define STAGEDOOR_SERVER_SESSIONS_PUBLISH_CHANGE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/status_macros.h"
#include "server/sessions/follow_changes.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/repeatable_request.h"
#include "server/sessions/session_state.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {

// Applies `change` to the session of a request, publishes the new snapshot and returns its
// fingerprint. Errors: those of StageSession::Edit and IdentifyRequest.
template <typename Request, typename Change>
absl::StatusOr<std::string> PublishChange(const SessionState& state, RequestContext& context,
                                          const std::shared_ptr<StageSession>& session,
                                          const Request& request, const Change& change) {
  StageSession::Precondition precondition{.expected_snapshot = request.expected_snapshot()};
  SD_ASSIGN_OR_RETURN(precondition.request,
                      IdentifyRequest(context, request.request_id(), request));
  absl::StatusOr<std::string> edited = session->Edit(context, precondition, change);
  // The new snapshot may depend on other assets than the previous one.
  if (edited.ok()) FollowChanges(state.follower, session);
  return edited;
}

// As above, for the session of the request's stage. Errors also those of AcquireSession.
template <typename Request, typename Change>
absl::StatusOr<std::string> PublishChange(const SessionState& state, RequestContext& context,
                                          const Request& request, const Change& change) {
  SD_ASSIGN_OR_RETURN(const auto session,
                      AcquireSession(state.queries, context, request.stage().handle()));
  return PublishChange(state, context, session, request, change);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_PUBLISH_CHANGE_H_
