#ifndef STAGEDOOR_CLIENT_SDK_STAGE_SESSION_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/sdk/connection.h"
#include "client/sdk/connection_state.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::sdk {

// An open stage: a lease on a session, which is opened again when it is lost. The request that
// opened the stage is kept with the edits made since folded into it, so that a private session can
// be opened again as it was: after an expired lease, a restart of the daemon, or with another
// daemon. A session with a name that was edited is not, because its edits may be lost. Thread-safe.
class StageSession {
 public:
  static absl::StatusOr<std::shared_ptr<StageSession>> Open(std::shared_ptr<Connection> connection,
                                                            v1::OpenStageRequest request,
                                                            const CallOptions& call);
  // Gives the lease back without waiting for the answer.
  ~StageSession();
  StageSession(const StageSession&) = delete;
  StageSession& operator=(const StageSession&) = delete;

  // Gives the lease back. OK if that was done before, or if the daemon has forgotten it.
  absl::Status Close(const CallOptions& call);

  // What came of one attempt of a call.
  struct Outcome {
    absl::Status status;
    bool repeatable = true;  // false once results were handed out
  };
  // Makes one attempt with the handle of the stage. The options have the time that is left.
  using Attempt =
      std::function<Outcome(Client& client, const std::string& handle, const CallOptions& call)>;
  // Makes a call about the stage: once, and again after it was opened again if the lease was lost,
  // or if the daemon cannot be reached and there are others. FAILED_PRECONDITION if the stage is
  // closed.
  absl::Status Run(const Attempt& attempt, const CallOptions& call);
  // The same for an edit. `fold` adds the edit to the request that opens the stage again. Edits are
  // made one after another.
  absl::Status RunEdit(const Attempt& attempt,
                       const std::function<void(v1::OpenStageRequest&)>& fold,
                       const CallOptions& call);

  // Takes note of the newest snapshot, as a reply states it.
  void Saw(const std::string& snapshot);
  std::string snapshot() const;
  // What the daemon said about the stage when it was opened.
  v1::Stage info() const;
  ArrayCache& arrays() { return state().arrays; }
  const std::shared_ptr<Connection>& connection() const { return connection_; }

 private:
  using Clock = Lease::Clock;

  StageSession(std::shared_ptr<Connection> connection, v1::OpenStageRequest request);

  ConnectionState& state() const { return *connection_->state_; }
  // Opens the stage with the first daemon that answers.
  absl::Status OpenAnywhere(const CallOptions& call, Clock::time_point deadline);
  // Opens the stage again, unless another call has done so since `lost` was the handle.
  absl::Status Reopen(const std::string& lost, const CallOptions& call, Clock::time_point deadline);
  void Adopt(const v1::OpenStageResponse& reply, size_t daemon, Clock::time_point asked);
  // `call` with the time that is left, at least a millisecond.
  CallOptions Remaining(const CallOptions& call, Clock::time_point deadline) const;

  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<Lease> lease_ = std::make_shared<Lease>();
  Mutex edit_mu_;    // held while an edit is made and folded
  Mutex reopen_mu_;  // held while the stage is opened
  mutable Mutex mu_;
  v1::OpenStageRequest request_ ABSL_GUARDED_BY(mu_);
  v1::Stage info_ ABSL_GUARDED_BY(mu_);
  std::string snapshot_ ABSL_GUARDED_BY(mu_);
  bool edited_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_SESSION_H_
