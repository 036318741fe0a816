#ifndef STAGEDOOR_BENCHMARKS_DAEMON_H_
#define STAGEDOOR_BENCHMARKS_DAEMON_H_

#include <string>

#include "benchmarks/child_process.h"

namespace stagedoor::bench {

// Daemon is a stagedoord process of the driver on a free loopback port.

// Stopped on destruction. Exits the driver's process if the daemon does not start.
class Daemon {
 public:
  Daemon();
  ~Daemon();

  const std::string& address() const { return address_; }
  pid_t pid() const { return process_.pid(); }

 private:
  const std::string address_file_;
  ChildProcess process_;
  std::string address_;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_DAEMON_H_
