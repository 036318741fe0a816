#ifndef STAGEDOOR_CLIENT_TESTING_PRIVATE_DAEMONS_H_
#define STAGEDOOR_CLIENT_TESTING_PRIVATE_DAEMONS_H_

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "client/cc/private_daemon.h"

namespace stagedoor {

// Kills the private daemon, if there is one and it is another process, and waits until nothing
// accepts connections any more.
inline void KillPrivateDaemon(const PrivateDaemon& daemon) {
  const auto process = daemon.FindProcess();
  if (!process.ok() || !process->has_value() || **process == ::getpid()) return;
  ::kill(**process, SIGKILL);
  for (;;) {
    // An error as long as the dying process has many connections to accept.
    const auto left = daemon.FindProcess();
    if (left.ok() && !left->has_value()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_TESTING_PRIVATE_DAEMONS_H_
