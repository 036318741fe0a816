#include "benchmarks/daemon.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "benchmarks/machine.h"
#include "benchmarks/require.h"

namespace stagedoor::bench {
namespace {

namespace fs = std::filesystem;

// The daemon that STAGEDOORD names, else the one built beside this program.
std::string Program() {
  if (const char* named = std::getenv("STAGEDOORD")) return named;
  const fs::path self = fs::read_symlink("/proc/self/exe");
  return (self.parent_path().parent_path() / "server" / "stagedoord").string();
}

std::string TemporaryName() {
  static int count = 0;
  const std::string name =
      "stagedoor-bench-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".address";
  return (fs::temp_directory_path() / name).string();
}

}  // namespace

Daemon::Daemon()
    : address_file_(TemporaryName()),
      process_({Program(), "--address=127.0.0.1:0", "--address-file=" + address_file_,
                "--log-level=warn"}) {
  const double start = Now();
  while (address_.empty()) {
    Require(Now() - start < 30, "the daemon did not start within 30 s: " + Program());
    std::ifstream file(address_file_);
    if (!std::getline(file, address_)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  fs::remove(address_file_);
}

Daemon::~Daemon() {
  process_.Signal(SIGTERM);
  process_.Wait();
}

}  // namespace stagedoor::bench
