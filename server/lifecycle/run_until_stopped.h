// RunUntilStopped: the life of a daemon, from its start to the end of its process.
//
// The server starts, drains and is destroyed on a thread of its own. The calling thread, main's,
// only waits for signals and looks at the clock: whatever hangs in the server, in the executor or
// in gRPC, the process ends in time. docs/operations.md describes the steps.
#ifndef STAGEDOOR_SERVER_LIFECYCLE_RUN_UNTIL_STOPPED_H_
#define STAGEDOOR_SERVER_LIFECYCLE_RUN_UNTIL_STOPPED_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "server/lifecycle/drain_state_machine.h"
#include "server/lifecycle/drainable.h"
#include "server/lifecycle/signal_receiver.h"

namespace stagedoor {

struct Lifecycle {
  DrainTimeouts times;
  // Makes the server, which serves from then on. Runs on the server's thread.
  std::function<absl::StatusOr<std::unique_ptr<Drainable>>()> start;
  // Tells others that it serves: from here on signals drain it. On the same thread; a failure stops
  // the server.
  std::function<absl::Status()> publish = [] { return absl::OkStatus(); };
  // Before a hard exit, while the server may be in any state: removes files.
  std::function<void()> clean_up = [] {};
};

// Exit statuses.
inline constexpr int kExitStopped = 0;  // everything ended well
inline constexpr int kExitFailed = 1;   // it could not start; the reason is logged
inline constexpr int kExitForced = 3;   // calls did not end, even cancelled

// Returns kExitStopped or kExitFailed; leaves the process by _exit(kExitForced) if the server does
// not end. `signals` were set up, `signal_fd` is their descriptor.
int RunUntilStopped(const Lifecycle& lifecycle, SignalReceiver& signals, int signal_fd);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LIFECYCLE_RUN_UNTIL_STOPPED_H_
