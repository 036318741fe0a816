// Calls about a stage that do not wait.
#include <memory>
#include <utility>

#include "base/status.h"
#include "client/sdk/callback_scope.h"
#include "client/sdk/stage_session.h"

namespace stagedoor::sdk {

// A call with all its attempts, which do one after another what Run does in a loop. Owned by the
// callbacks that it waits for.
class StageSession::AsyncCall : public std::enable_shared_from_this<AsyncCall> {
 public:
  AsyncCall(std::shared_ptr<StageSession> session, AsyncAttempt attempt, const CallOptions& call,
            Done done)
      : session_(std::move(session)),
        attempt_(std::move(attempt)),
        done_(std::move(done)),
        progress_(session_->Begin(call)) {}

  // Makes the next attempt, or opens the stage again.
  void Go() {
    // End may run on another thread before the attempt returns.
    const std::shared_ptr<StageSession> session = session_;
    const AsyncAttempt attempt = attempt_;
    const absl::StatusOr<bool> ready = session->MayAttempt(&progress_);
    if (!ready.ok()) return End(ready.status());
    if (!*ready) return Reopen();
    const Lease::Grant grant = progress_.grant;
    attempt(*session->state().clients[grant.daemon], grant.handle,
            session->Remaining(progress_.call, progress_.deadline),
            [self = shared_from_this()](const Outcome& outcome) { self->Ended(outcome); });
  }

 private:
  void Ended(const Outcome& outcome) {
    const CallbackScope scope;
    switch (session_->AfterAttempt(&progress_, outcome)) {
      case Next::kEnd:
        return End(outcome.status);
      case Next::kRepeat:
        return Go();
      case Next::kReopenAndRepeat:
        return Reopen();
    }
  }

  void Reopen() {
    const std::shared_ptr<StageSession> session = session_;
    session->Reopen(progress_.grant.handle, progress_.call, progress_.deadline,
                    [self = shared_from_this()](absl::Status status) {
                      if (!status.ok()) return self->End(std::move(status));
                      self->Go();
                    });
  }

  void End(absl::Status status) {
    const CallbackScope scope;
    const Done done = std::exchange(done_, nullptr);
    attempt_ = nullptr;
    session_.reset();
    done(std::move(status));
  }

  std::shared_ptr<StageSession> session_;
  AsyncAttempt attempt_;
  Done done_;
  Progress progress_;
};

void StageSession::Start(AsyncAttempt attempt, const CallOptions& call, Done done) {
  std::make_shared<AsyncCall>(shared_from_this(), std::move(attempt), call, std::move(done))->Go();
}

}  // namespace stagedoor::sdk
