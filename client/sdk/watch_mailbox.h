#ifndef STAGEDOOR_CLIENT_SDK_WATCH_MAILBOX_H_
#define STAGEDOOR_CLIENT_SDK_WATCH_MAILBOX_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/sdk/watch_loop.h"

namespace stagedoor::sdk {

// Hands the changes that one thread receives to others, one at a time. Thread-safe.
class WatchMailbox {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The arguments are those of WatchLoop.
  WatchMailbox(std::shared_ptr<StageSession> session, std::string since,
               const WatchOptions& options)
      : loop_(std::move(session), std::move(since), options) {}

  // Receives until the watch ends. For the thread.
  void Run();
  // See Watch::Next and Stop.
  absl::StatusOr<std::optional<StageChanges>> Next(Time deadline);
  void Stop();

 private:
  // Waits until there is room.
  void Put(StageChanges changes);

  WatchLoop loop_;
  Mutex mu_;
  CondVar changed_;
  std::optional<StageChanges> next_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mu_);  // once it has ended
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_WATCH_MAILBOX_H_
