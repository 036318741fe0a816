#include "client/sdk/change_subscription.h"

#include <utility>

#include "base/mutex.h"
#include "client/sdk/watch_loop.h"

namespace stagedoor::sdk {

// The state that the thread of a subscription owns, so that the callback may destroy the
// subscription.
class WatchListener {
 public:
  WatchListener(std::shared_ptr<StageSession> session, std::string since,
                const WatchOptions& options, ChangeSubscription::Callback callback)
      : loop_(std::move(session), std::move(since), options), callback_(std::move(callback)) {}

  void Run() {
    absl::Status status = loop_.Run([this](const StageChanges& changes) { callback_(changes); });
    MutexLock lock(mu_);
    ended_ = true;
    status_ = std::move(status);
  }
  void Stop() { loop_.Stop(); }
  bool ended() const {
    MutexLock lock(mu_);
    return ended_;
  }
  absl::Status status() const {
    MutexLock lock(mu_);
    return status_;
  }

 private:
  WatchLoop loop_;
  const ChangeSubscription::Callback callback_;
  mutable Mutex mu_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mu_);
};

ChangeSubscription::ChangeSubscription(std::shared_ptr<StageSession> session, std::string since,
                                       const WatchOptions& options, Callback callback)
    : listener_(std::make_shared<WatchListener>(std::move(session), std::move(since), options,
                                                std::move(callback))),
      thread_([listener = listener_] { listener->Run(); }) {}

ChangeSubscription::ChangeSubscription(ChangeSubscription&&) noexcept = default;

ChangeSubscription::~ChangeSubscription() {
  if (listener_ == nullptr) return;
  Stop().IgnoreError();
  if (thread_.joinable()) thread_.detach();  // this is the thread
}

bool ChangeSubscription::active() const { return listener_ != nullptr && !listener_->ended(); }

absl::Status ChangeSubscription::Stop() {
  if (listener_ == nullptr) return absl::OkStatus();
  listener_->Stop();
  if (thread_.get_id() == std::this_thread::get_id()) return absl::OkStatus();
  if (thread_.joinable()) thread_.join();
  return listener_->status();
}

}  // namespace stagedoor::sdk
