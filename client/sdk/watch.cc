#include "client/sdk/watch.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "client/sdk/watch_mailbox.h"

namespace stagedoor::sdk {

void WatchMailbox::Run() {
  absl::Status status = loop_.Run([this](StageChanges changes) { Put(std::move(changes)); });
  MutexLock lock(mu_);
  ended_ = true;
  status_ = std::move(status);
  changed_.NotifyAll();
}

void WatchMailbox::Put(StageChanges changes) {
  MutexLock lock(mu_);
  while (next_.has_value() && !stopped_) changed_.Wait(mu_);
  next_ = std::move(changes);
  changed_.NotifyAll();
}

absl::StatusOr<std::optional<StageChanges>> WatchMailbox::Next(Time deadline) {
  using Result = std::optional<StageChanges>;
  MutexLock lock(mu_);
  for (;;) {
    if (stopped_) return Result();
    if (next_.has_value()) {
      Result taken = std::exchange(next_, std::nullopt);
      changed_.NotifyAll();
      return taken;
    }
    if (ended_ && !status_.ok()) return absl::Status(status_);
    if (ended_) return Result();
    if (!changed_.WaitUntil(mu_, deadline)) {
      return DeadlineExceededError("nothing has changed in this time");
    }
  }
}

void WatchMailbox::Stop() {
  {
    MutexLock lock(mu_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  loop_.Stop();
}

Watch::Watch(std::shared_ptr<StageSession> session, std::string since, const WatchOptions& options)
    : mailbox_(std::make_shared<WatchMailbox>(std::move(session), std::move(since), options)),
      thread_([mailbox = mailbox_] { mailbox->Run(); }) {}

Watch::Watch(Watch&&) noexcept = default;

Watch::~Watch() {
  Stop();
  if (thread_.joinable()) thread_.join();
}

absl::StatusOr<std::optional<StageChanges>> Watch::Next() {
  return mailbox_->Next(WatchMailbox::Time::max());
}

absl::StatusOr<std::optional<StageChanges>> Watch::Next(std::chrono::milliseconds timeout) {
  constexpr std::chrono::hours kLongest{24 * 365};  // so that the sum does not overflow
  return mailbox_->Next(std::chrono::steady_clock::now() +
                        std::min<std::chrono::milliseconds>(timeout, kLongest));
}

void Watch::Stop() {
  if (mailbox_ != nullptr) mailbox_->Stop();
}

}  // namespace stagedoor::sdk
