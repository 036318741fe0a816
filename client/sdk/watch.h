#ifndef STAGEDOOR_CLIENT_SDK_WATCH_H_
#define STAGEDOOR_CLIENT_SDK_WATCH_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "client/sdk/stage_changes.h"  // IWYU pragma: export
#include "client/sdk/watch_options.h"  // IWYU pragma: export

namespace stagedoor::sdk {

class StageSession;
class WatchMailbox;

// Waits for the changes of a stage:
//
//   sdk::Watch watch = stage.Watch({.paths = {"/World/Char"}});
//   for (auto changes = watch.Next(); changes.ok() && changes->has_value(); changes = watch.Next())
//   …
//
// Nothing is missed since the snapshot that the stage had when the watch began: it continues after
// lost connections, restarts of the daemon and lost leases. A thread of its own receives one report
// ahead; a program that asks slowly gets fewer of them, each with more changes. Keeps its stage
// open, and ends when that is closed. Thread-safe, except that it must not be destroyed or moved
// while Next is running.
class Watch {
 public:
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) = delete;

  // Waits for the next changes. Nothing once the watch was stopped or the stage was closed. An
  // error if the watch cannot continue, such as LEASE_EXPIRED for an edited session with a name;
  // all later calls return it too.
  absl::StatusOr<std::optional<StageChanges>> Next();
  // As Next above; DEADLINE_EXCEEDED if nothing changes for that long.
  absl::StatusOr<std::optional<StageChanges>> Next(std::chrono::milliseconds timeout);
  // Ends the watch; may be called while another thread waits.
  void Stop();

 private:
  friend class Stage;
  Watch(std::shared_ptr<StageSession> session, std::string since, const WatchOptions& options);

  std::shared_ptr<WatchMailbox> mailbox_;  // null after a move
  std::thread thread_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_WATCH_H_
