// RunUntilStopped runs a daemon from its start to the end of its process.
//
// The server starts, drains and is destroyed on its own thread. The calling thread (the main one)
// only waits for signals and timeouts, so the process ends in time even if the server, the executor
// or gRPC hangs. docs/operations.md describes the steps.
#ifndef STAGEDOOR_SERVER_LIFECYCLE_RUN_UNTIL_STOPPED_H_
#define STAGEDOOR_SERVER_LIFECYCLE_RUN_UNTIL_STOPPED_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "server/lifecycle/drain_state_machine.h"
#include "server/lifecycle/drainable.h"
#include "server/lifecycle/signal_receiver.h"

namespace stagedoor::server {

struct Lifecycle {
  DrainTimeouts times;
  // Creates the server, which serves when this returns. Runs on the server's thread.
  std::function<absl::StatusOr<std::unique_ptr<Drainable>>()> start;
  // Announces that the server is serving; from here on signals drain it. Runs on the same thread.
  // An error stops the server.
  std::function<absl::Status()> publish = [] { return absl::OkStatus(); };
  // Reads the configuration again after SIGHUP. Runs on the thread that waits for signals, so it
  // must return at once.
  std::function<void()> reload = [] {};
  // Called when the daemon begins to stop because of a signal, and again for each further one. Runs
  // on the same thread as reload.
  std::function<void()> stopping = [] {};
  // Removes files before a forced exit, when the server may be in any state.
  std::function<void()> clean_up = [] {};
};

// Exit statuses of the process.
inline constexpr int kExitStopped = 0;  // stopped normally
inline constexpr int kExitFailed = 1;   // failed to start; the reason is logged
inline constexpr int kExitForced = 3;   // some calls did not end even when cancelled

// Returns kExitStopped or kExitFailed; exits the process with _exit(kExitForced) if the server does
// not end. `signal_fd` is the result of signals.Setup().
int RunUntilStopped(const Lifecycle& lifecycle, SignalReceiver& signals, int signal_fd);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_RUN_UNTIL_STOPPED_H_
