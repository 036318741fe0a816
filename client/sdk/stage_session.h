#ifndef STAGEDOOR_CLIENT_SDK_STAGE_SESSION_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/sdk/connection.h"
#include "client/sdk/connection_state.h"
#include "client/sdk/outcome.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::sdk {

// An open stage: a lease on a session, which is opened again when it is lost. The request that
// opened the stage is kept with the edits made since folded into it, so that a private session can
// be opened again as it was: after an expired lease, a restart of the daemon, or with another
// daemon. A session with a name that was edited is not, because its edits may be lost. Thread-safe.
class StageSession : public std::enable_shared_from_this<StageSession> {
 public:
  static absl::StatusOr<std::shared_ptr<StageSession>> Open(std::shared_ptr<Connection> connection,
                                                            v1::OpenStageRequest request,
                                                            const CallOptions& call);
  // Gives the lease back without waiting for the answer.
  ~StageSession();
  StageSession(const StageSession&) = delete;
  StageSession& operator=(const StageSession&) = delete;

  // Gives the lease back, within kCloseTimeout. OK also if the daemon does not answer: the lease
  // expires by itself then.
  absl::Status Close(const CallOptions& call);

  // Makes one attempt with the handle of the stage. The options have the time that is left.
  using Attempt =
      std::function<Outcome(Client& client, const std::string& handle, const CallOptions& call)>;
  // Makes a call about the stage: once, and again after it was opened again if the lease was lost,
  // or if the daemon cannot be reached and there are others. A stream that breaks is read again if
  // it may be. FAILED_PRECONDITION if the stage is closed.
  absl::Status Run(const Attempt& attempt, const CallOptions& call);
  // As Run, without waiting. `attempt` starts one attempt, and passes what came of it to `ended`,
  // once and on any thread; `done` runs once, on that thread or the calling one. The call holds no
  // reference to the session then.
  using Ended = std::function<void(Outcome)>;
  using AsyncAttempt = std::function<void(Client& client, const std::string& handle,
                                          const CallOptions& call, Ended ended)>;
  using Done = std::function<void(absl::Status)>;
  void Start(AsyncAttempt attempt, const CallOptions& call, Done done);
  // Run for an edit. `fold` adds the edit to the request that opens the stage again. Edits are
  // made one after another.
  absl::Status RunEdit(const Attempt& attempt,
                       const std::function<void(v1::OpenStageRequest&)>& fold,
                       const CallOptions& call);

  bool closed() const { return lease_->closed(); }
  // Takes note of the newest snapshot, as a reply states it.
  void Saw(const std::string& snapshot);
  std::string snapshot() const;
  // The daemon's reply about the stage when it was opened.
  v1::Stage info() const;
  ArrayCache& arrays() { return state().arrays; }
  PathSets& path_sets() { return state().path_sets; }
  const std::shared_ptr<Connection>& connection() const { return connection_; }

 private:
  using Clock = Lease::Clock;
  class AsyncCall;

  // One call with all its attempts.
  struct Progress {
    CallOptions call;
    Clock::time_point deadline;
    Lease::Grant grant = {};  // for the next attempt
    size_t made = 0;          // attempts, and times that the stage was opened instead of one
  };
  // A call that waits until another one has opened the stage again.
  struct Waiter {
    std::string lost;
    CallOptions call;
    Clock::time_point deadline;
    Done done;
  };

  StageSession(std::shared_ptr<Connection> connection, v1::OpenStageRequest request);

  ConnectionState& state() const { return *connection_->state_; }
  Progress Begin(const CallOptions& call) const;
  // How often one call opens the stage again.
  size_t MaxReopens() const;
  // Sets the grant for the next attempt. False if the stage is to be opened again first, because
  // its daemon did not answer another call.
  absl::StatusOr<bool> MayAttempt(Progress* progress);
  // How a call goes on after an attempt.
  enum class Next { kEnd, kRepeat, kReopenAndRepeat };
  Next AfterAttempt(Progress* progress, const Outcome& outcome);

  // Opens the stage with the first daemon that answers. `tried`: how many have not.
  void OpenAnywhere(const CallOptions& call, Clock::time_point deadline, size_t tried, Done done);
  // Opens the stage again, unless another call has done so since `lost` was the handle. One call
  // does it at a time; others wait for it.
  void Reopen(const std::string& lost, const CallOptions& call, Clock::time_point deadline,
              Done done);
  void FinishReopening(const absl::Status& status, const Done& done);
  // Why the stage cannot be opened as it was; OK if it can.
  absl::Status CheckReopenable() const;
  // Whether a daemon did not answer a call in time, though it had time and there are others.
  bool IsUnanswered(const absl::Status& status, const CallOptions& call) const;
  void Adopt(const v1::OpenStageResponse& reply, size_t daemon, Clock::time_point asked);
  // `call` with the time that is left, at least a millisecond.
  CallOptions Remaining(const CallOptions& call, Clock::time_point deadline) const;

  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<Lease> lease_ = std::make_shared<Lease>();
  Mutex edit_mu_;  // held while an edit is made and folded
  mutable Mutex mu_;
  v1::OpenStageRequest request_ ABSL_GUARDED_BY(mu_);
  v1::Stage info_ ABSL_GUARDED_BY(mu_);
  std::string snapshot_ ABSL_GUARDED_BY(mu_);
  bool edited_ ABSL_GUARDED_BY(mu_) = false;
  bool reopening_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<Waiter> waiting_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_SESSION_H_
