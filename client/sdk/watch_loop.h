#ifndef STAGEDOOR_CLIENT_SDK_WATCH_LOOP_H_
#define STAGEDOOR_CLIENT_SDK_WATCH_LOOP_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "client/sdk/stage_changes.h"
#include "client/sdk/stage_session.h"
#include "client/sdk/watch_options.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::sdk {

// Receives the changes of a stage across lost connections, restarts of the daemon and lost leases
// (docs/client_protocol.md, "Watching a stage"). Keeps its stage open. Stop may be called from any
// thread.
class WatchLoop {
 public:
  // Receives the changes, in order. May block: then the daemon reports what happens meanwhile
  // together.
  using Sink = std::function<void(StageChanges)>;

  // Between two calls of which the first brought nothing.
  static constexpr std::chrono::milliseconds kPause{500};

  // Reports what has changed since the snapshot `since`.
  WatchLoop(std::shared_ptr<StageSession> session, std::string since, const WatchOptions& options,
            std::chrono::milliseconds pause = kPause);

  // Passes changes to `sink`, on the calling thread, until Stop. OK if the watch was stopped or the
  // stage was closed, else the error that ended it. Call it once.
  absl::Status Run(const Sink& sink);
  // Ends Run. `sink` may still be running.
  void Stop();

 private:
  // Makes one call. *received: whether a message arrived.
  absl::Status WatchOnce(const Sink& sink, bool* received);
  void Take(const v1::WatchStageResponse& message, const Sink& sink);
  void Pause();
  bool stopping() const { return cancellation_->cancelled(); }

  const std::shared_ptr<StageSession> session_;
  const std::chrono::milliseconds pause_;
  const std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  v1::WatchStageRequest request_;  // of the thread that runs
  Mutex mu_;
  CondVar stopped_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_WATCH_LOOP_H_
