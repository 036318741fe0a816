// stagedoord: the daemon. See docs/cli.md.
#include <grpc/grpc.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/interned_bytes.h"
#include "base/memory_guard.h"
#include "base/mutex.h"
#include "base/standard_streams.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/time_slice.h"
#include "base/version.h"
#include "server/flags.h"
#include "server/lifecycle/run_until_stopped.h"
#include "server/lifecycle/signals.h"
#include "server/listen/address_file.h"
#include "server/listen/listen_address.h"
#include "server/listen/unix_socket_claim.h"
#include "server/log/logging.h"
#include "server/machine_memory.h"
#include "server/server.h"

namespace stagedoor {
namespace {

constexpr int kExitUsage = 2;

// Debian's Abseil looks for deadlocks among the locks that gRPC takes, under one lock for all
// threads; ours are std::mutex.
void TrustLockOrder() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

// The last resort where memory was forgotten to be reserved, and where it can't be given back.
void KeepWithinMemory(const ServerOptions& options) {
  if (options.memory_limit == 0) return;
  const auto memory = MemoryOf(options);
  if (!memory) return;
  const uint64_t limit = RequestMemoryLimit(*memory);
  LimitMemory(limit, (*memory - limit) / 2);
  InternedBytes::Limit(*memory / 4);
}

// gRPC would tear itself down with its last server, and wait for connections whose clients stopped
// reading; this process ends soon after anyway.
void KeepGrpc() { grpc_init(); }

// All threads that this one starts, among them gRPC's, hand over and answer at once; those of
// requests, and those that tidy up, choose for themselves.
void HaveThreadsRunPromptly() { RequestTimeSlice(kShortestTimeSlice); }

// The files that tell others where the daemon is. Thread-safe: a hard exit may come at any time.
class Traces {
 public:
  explicit Traces(const DaemonFlags& flags)
      : addresses_(flags.server.addresses),
        has_file_(!flags.address_file.empty()),
        file_(flags.address_file) {}

  absl::Status RemoveStale() {
    MutexLock lock(mu_);
    return has_file_ ? file_.RemoveStale() : absl::OkStatus();
  }
  absl::Status Write(const std::vector<std::string>& chosen) {
    MutexLock lock(mu_);
    serving_ = true;
    return has_file_ ? file_.Write(chosen) : absl::OkStatus();
  }
  void RemoveFile() {
    MutexLock lock(mu_);
    file_.Remove();
  }
  // With the sockets, which a server that ends removes itself.
  void RemoveAll() {
    MutexLock lock(mu_);
    file_.Remove();
    if (!serving_) return;
    for (const std::string& text : addresses_) {
      const auto address = ListenAddress::Parse(text);
      if (address.ok() && address->is_unix()) UnixSocketClaim::RemoveFiles(address->socket_path);
    }
  }

 private:
  const std::vector<std::string> addresses_;
  const bool has_file_;
  Mutex mu_;
  bool serving_ ABSL_GUARDED_BY(mu_) = false;  // so the sockets are ours
  AddressFile file_ ABSL_GUARDED_BY(mu_);
};

// A server and where it listens.
class Daemon {
 public:
  Daemon(const ServerOptions& options, Traces& traces) : options_(options), traces_(traces) {}

  absl::StatusOr<std::unique_ptr<Drainable>> Start() {
    SD_RETURN_IF_ERROR(traces_.RemoveStale());
    SD_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(options_));
    addresses_ = server->addresses();
    for (const std::string& address : addresses_) spdlog::info("serving on {}", address);
    if (!server->metrics_address().empty()) {
      spdlog::info("metrics on http://{}/metrics", server->metrics_address());
    }
    return server;
  }
  absl::Status Publish() { return traces_.Write(addresses_); }

 private:
  const ServerOptions options_;
  Traces& traces_;
  std::vector<std::string> addresses_;
};

// Returns only if it could not begin.
int Run(DaemonFlags flags) {
  for (std::string& path : SchemaPathsFromEnvironment()) {
    flags.server.schema_paths.push_back(std::move(path));
  }
  KeepWithinMemory(flags.server);
  TrustLockOrder();
  Signals signals(!flags.log_file.empty());
  const int signal_fd = signals.Setup();
  HaveThreadsRunPromptly();
  KeepGrpc();
  const absl::Status log = InstallLog(flags.log_level, flags.log_file);
  if (!log.ok()) {
    std::fprintf(stderr, "stagedoord: --log-file: %s\n", std::string(Message(log)).c_str());
    return kExitUsage;
  }
  // Never destroyed: a server that hangs may still use them.
  auto& traces = *new Traces(flags);
  auto& daemon = *new Daemon(flags.server, traces);
  Lifecycle lifecycle;
  lifecycle.times = flags.drain;
  lifecycle.start = [&daemon] { return daemon.Start(); };
  lifecycle.publish = [&daemon] { return daemon.Publish(); };
  lifecycle.clean_up = [&traces] { traces.RemoveAll(); };
  const int status = RunUntilStopped(lifecycle, signals, signal_fd);
  traces.RemoveFile();
  // Past the destructors of globals: threads of gRPC may still use them.
  ::_exit(status);
}

int Main(int argc, char** argv) {
  ReserveStandardStreams();
  auto flags = ParseFlags(std::vector<std::string>(argv + 1, argv + argc));
  if (!flags.ok()) {
    std::fprintf(stderr, "stagedoord: %s\n", std::string(Message(flags.status())).c_str());
    return kExitUsage;
  }
  if (flags->help || flags->version) {
    const std::string text = flags->help ? FlagsHelp() : Concat("stagedoord ", kVersion, "\n");
    const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    return written ? 0 : 1;
  }
  return Run(*std::move(flags));
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
