// stagedoord: the daemon. See docs/cli.md.
#include <malloc.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include <climits>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/status.h"
#include "server/flags.h"
#include "server/server.h"

namespace stagedoor {
namespace {

// Large replies would fault their pages in anew each time if freed memory went back to the system.
void KeepFreedMemory() {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
}

// Debian's Abseil looks for deadlocks among the locks that gRPC takes, under one lock for all
// threads; ours are std::mutex.
void TrustLockOrder() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Written beside and renamed, so that a reader never sees half of it.
bool WriteAddressFile(const std::string& name, const std::vector<std::string>& addresses) {
  const std::string temporary = name + ".tmp";
  std::ofstream file(temporary);
  for (const std::string& address : addresses) file << address << "\n";
  file.close();
  return file && std::rename(temporary.c_str(), name.c_str()) == 0;
}

int Main(int argc, char** argv) {
  auto flags = ParseFlags(std::vector<std::string>(argv + 1, argv + argc));
  if (!flags.ok()) {
    std::fprintf(stderr, "stagedoord: %s\n", std::string(Message(flags.status())).c_str());
    return 2;
  }
  if (flags->help) {
    std::fputs(FlagsHelp().c_str(), stdout);
    return 0;
  }
  for (std::string& path : SchemaPathsFromEnvironment()) {
    flags->server.schema_paths.push_back(std::move(path));
  }
  spdlog::set_level(spdlog::level::from_str(flags->log_level));
  KeepFreedMemory();
  TrustLockOrder();
  const sigset_t signals = BlockSignals();
  const auto server = Server::Start(flags->server);
  if (!server.ok()) {
    spdlog::error("{}", Message(server.status()));
    return 1;
  }
  for (const std::string& address : (*server)->addresses()) spdlog::info("serving on {}", address);
  if (!(*server)->metrics_address().empty()) {
    spdlog::info("metrics on http://{}/metrics", (*server)->metrics_address());
  }
  if (!flags->address_file.empty() &&
      !WriteAddressFile(flags->address_file, (*server)->addresses())) {
    spdlog::error("can't write {}", flags->address_file);
    return 1;
  }
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("signal {}, draining", signal);
  (*server)->Drain(flags->drain_patience);
  spdlog::info("stopped");
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
