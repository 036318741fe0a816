#ifndef STAGEDOOR_SERVER_SESSIONS_LEASED_STAGE_H_
#define STAGEDOOR_SERVER_SESSIONS_LEASED_STAGE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/stage/stage.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {

struct QueryState;

// The stage that a request is about. Keeps its session and snapshot alive while the request runs.
struct LeasedStage {
  std::shared_ptr<StageSession> session;
  std::shared_ptr<const StageSnapshot> snapshot;
  SourceCheck sources;  // covers the time since the request began

  const Stage& stage() const { return snapshot->stage(); }
  // Handlers call one of these before they send a reply that was made from the stage: CheckRead if
  // it holds samples or arrays, else CheckKnownChanges. See SourceCheck.
  absl::Status CheckRead() const { return sources.Check(stage()); }
  absl::Status CheckKnownChanges() const { return sources.CheckKnownChanges(stage()); }
};

// Looks up the session of the caller's handle and renews its lease. If the handle is unknown here,
// or its lease has expired here, another replica may have granted it, or renewed it since: then it
// is restored. Errors: those of LeaseTable::Acquire and SharedSessions::RestoreLease;
// FAILED_PRECONDITION (LEASE_EXPIRED) if the caller may read other assets now than when the stage
// was opened.
absl::StatusOr<std::shared_ptr<StageSession>> AcquireSession(const QueryState& state,
                                                             RequestContext& context,
                                                             const std::string& handle);

// As AcquireSession, without renewing the lease.
absl::StatusOr<std::shared_ptr<StageSession>> PeekSession(const QueryState& state,
                                                          RequestContext& context,
                                                          const std::string& handle);

// The snapshot of a session with a fingerprint; the newest one if that is empty. Errors: those of
// StageSession::Snapshot and SharedSessions::RestoreSnapshot.
absl::StatusOr<std::shared_ptr<const StageSnapshot>> FindSnapshot(const QueryState& state,
                                                                  RequestContext& context,
                                                                  StageSession& session,
                                                                  const std::string& fingerprint);

// Looks up the stage of a request and renews its lease. Paths that the call creates from then on
// belong to the stage's path scope. Errors: those of AcquireSession and StageSession::Snapshot.
absl::StatusOr<LeasedStage> AcquireStage(const QueryState& state, RequestContext& context,
                                         const v1::StageRef& ref);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_LEASED_STAGE_H_
