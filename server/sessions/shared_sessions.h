#ifndef STAGEDOOR_SERVER_SESSIONS_SHARED_SESSIONS_H_
#define STAGEDOOR_SERVER_SESSIONS_SHARED_SESSIONS_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/stages/lease_table.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// The sessions and leases of all replicas, as handlers see them: see SessionSharing. Thread-safe.
class SharedSessions {
 public:
  virtual ~SharedSessions() = default;

  // Shares a session that a request has opened, under its name if it has one. Returns the session
  // to use: the one of another replica if that has created one of the name. UNAVAILABLE
  // (STORE_UNAVAILABLE) only for named sessions.
  virtual absl::StatusOr<std::shared_ptr<StageSession>> Share(
      RequestContext& context, const v1::OpenStageRequest& request,
      std::shared_ptr<StageSession> session) = 0;
  // The caller's session of a name; null if no other replica has one.
  virtual absl::StatusOr<std::shared_ptr<StageSession>> FindNamed(RequestContext& context,
                                                                  std::string_view name) = 0;

  // Shares a lease that was granted, or whose time to live has changed. If the store cannot be
  // reached, the lease is shared later.
  virtual absl::Status ShareLease(RequestContext& context, const LeaseTable::Living& lease) = 0;
  virtual absl::Status UpdateLease(RequestContext& context, const LeaseTable::Living& lease) = 0;
  // Enters a lease into the table of leases that another replica granted to the caller. NOT_FOUND
  // (STAGE_NOT_FOUND) if there is none, FAILED_PRECONDITION (SNAPSHOT_GONE) if the session is fixed
  // and its files have changed, and the errors of opening a stage.
  virtual absl::Status RestoreLease(RequestContext& context, const std::string& handle) = 0;
  // Ends a lease for the others, which may be unknown here: `removed` says how its end went here,
  // and is returned if it did or if no other replica may know the lease. NOT_FOUND
  // (STAGE_NOT_FOUND) if it is unknown to all.
  virtual absl::Status EndLease(RequestContext& context, const std::string& handle,
                                absl::Status removed) = 0;

  // A snapshot of the session that this replica does not have. SNAPSHOT_GONE if no replica has.
  virtual absl::StatusOr<std::shared_ptr<const StageSnapshot>> RestoreSnapshot(
      RequestContext& context, StageSession& session, const std::string& fingerprint) = 0;
};

// Those of a daemon that has no replicas.
class UnsharedSessions final : public SharedSessions {
 public:
  absl::StatusOr<std::shared_ptr<StageSession>> Share(
      RequestContext&, const v1::OpenStageRequest&,
      std::shared_ptr<StageSession> session) override {
    return session;
  }
  absl::StatusOr<std::shared_ptr<StageSession>> FindNamed(RequestContext&,
                                                          std::string_view) override {
    return std::shared_ptr<StageSession>();
  }
  absl::Status ShareLease(RequestContext&, const LeaseTable::Living&) override {
    return absl::OkStatus();
  }
  absl::Status UpdateLease(RequestContext&, const LeaseTable::Living&) override {
    return absl::OkStatus();
  }
  absl::Status RestoreLease(RequestContext&, const std::string&) override {
    return LeaseTable::UnknownHandle();
  }
  absl::Status EndLease(RequestContext&, const std::string&, absl::Status removed) override {
    return removed;
  }
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> RestoreSnapshot(
      RequestContext&, StageSession& session, const std::string& fingerprint) override {
    return session.Snapshot(fingerprint);
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_SHARED_SESSIONS_H_
