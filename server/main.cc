// stagedoord: the daemon. See docs/cli.md.
#include <grpc/grpc.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
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
#include "server/access/authenticator.h"
#include "server/config/config_printer.h"
#include "server/config/config_reloader.h"
#include "server/config/daemon_config.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/daemon_flags.h"
#include "server/config/environment.h"
#include "server/daemon_control.h"
#include "server/handshake_failures.h"
#include "server/lifecycle/run_until_stopped.h"
#include "server/lifecycle/signal_receiver.h"
#include "server/listen/address_file.h"
#include "server/listen/connection_counter.h"
#include "server/listen/listen_address.h"
#include "server/listen/unix_socket_lock.h"
#include "server/log/audit_log.h"
#include "server/log/crash_handler.h"
#include "server/log/logging.h"
#include "server/machine/machine_memory.h"
#include "server/server.h"
#include "server/store/open_session_store.h"

namespace stagedoor::server {
namespace {

constexpr int kExitUsage = 2;

// Debian's Abseil checks the locks that gRPC takes for deadlocks, under one lock that all threads
// contend for. Our own locks are std::mutex.
void DisableDeadlockDetector() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

// The last resort for memory that no budget reserved, or that cannot be released.
void ApplyMemoryLimits(const ServerOptions& options) {
  if (options.memory_limit == 0) return;
  const auto memory = EffectiveMemoryLimit(options);
  if (!memory) return;
  const uint64_t limit = RequestMemoryLimit(*memory);
  SetMemoryLimit(limit, (*memory - limit) / 2);
  InternedBytes::SetLimit(*memory / 4);
}

// Otherwise gRPC would shut down with its last server and wait for connections whose clients have
// stopped reading. The process exits soon afterwards anyway.
void KeepGrpcInitialized() { grpc_init(); }

// Inherited by all threads that this one starts, including gRPC's, so that they respond quickly.
// Threads that run requests or clean up set their own.
void ShortenTimeSlices() { SetTimeSlice(kShortestTimeSlice); }

// The address file and the Unix sockets, by which clients find the daemon. Thread-safe, since a
// forced exit may happen at any time.
class PublishedFiles {
 public:
  explicit PublishedFiles(const DaemonFlags& flags)
      : addresses_(flags.server.addresses),
        query_socket_(flags.server.query_socket),
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
  // Also removes the sockets, for a server that did not end properly and remove them itself.
  void RemoveAll() {
    MutexLock lock(mu_);
    file_.Remove();
    if (!serving_) return;
    for (const std::string& text : addresses_) {
      const auto address = ListenAddress::Parse(text);
      if (address.ok() && address->is_unix()) UnixSocketLock::RemoveFiles(address->socket_path);
    }
    if (!query_socket_.empty()) UnixSocketLock::RemoveFiles(query_socket_);
  }

 private:
  const std::vector<std::string> addresses_;
  const std::string query_socket_;
  const bool has_file_;
  Mutex mu_;
  bool serving_ ABSL_GUARDED_BY(mu_) = false;  // from then on the sockets are ours
  AddressFile file_ ABSL_GUARDED_BY(mu_);
};

// Logs TLS handshakes that fail. `audit` may be null.
void ReportHandshakes(const std::shared_ptr<AuditLog>& audit) {
  TakeHandshakeFailures([audit](std::string_view reason, uint64_t more) {
    const std::string others = more == 0 ? "" : Concat(" (and ", more, " more)");
    spdlog::warn("a TLS handshake with a client failed: {}{}", reason, others);
    if (audit == nullptr) return;
    audit->Record({.caller = {},
                   .role = {},
                   .peer = {},  // gRPC does not tell
                   .method = {},
                   .asset = {},
                   .decision = MakeStatus(absl::StatusCode::kUnauthenticated, reason),
                   .action = "TLS handshake"});
  });
}

// Starts the server, publishes the addresses it listens on, and passes on what SIGHUP changes.
class Daemon {
 public:
  Daemon(const ServerOptions& options, PublishedFiles& files) : options_(options), files_(files) {}

  // Sets the actions of administrators. To be called before Start.
  void SetControl(AdminControl& control) { control_ = &control; }

  absl::StatusOr<std::unique_ptr<Drainable>> Start() {
    SD_RETURN_IF_ERROR(files_.RemoveStale());
    SD_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(options_, nullptr, control_));
    addresses_ = server->addresses();
    {
      MutexLock lock(mu_);
      authenticator_ = server->authenticator();
      audit_log_ = server->audit_log();
    }
    if (options_.tls.enabled()) ReportHandshakes(server->audit_log());
    for (const std::string& address : addresses_) spdlog::info("serving on {}", address);
    if (!options_.query_socket.empty()) {
      spdlog::info("answering query frames on unix:{}", options_.query_socket);
    }
    if (!server->metrics_address().empty()) {
      spdlog::info("serving metrics on http://{}/metrics", server->metrics_address());
    }
    return server;
  }
  absl::Status Publish() { return files_.Write(addresses_); }

  absl::Status SetAccess(const AccessOptions& access) {
    std::shared_ptr<Authenticator> authenticator;
    {
      MutexLock lock(mu_);
      authenticator = authenticator_;
    }
    return authenticator == nullptr ? absl::OkStatus() : authenticator->SetAccess(access);
  }
  void ReopenAuditLog() {
    std::shared_ptr<AuditLog> audit_log;
    {
      MutexLock lock(mu_);
      audit_log = audit_log_;
    }
    if (audit_log == nullptr) return;
    const absl::Status status = audit_log->Reopen();
    if (!status.ok()) spdlog::error("cannot reopen the audit log: {}", Message(status));
  }

 private:
  const ServerOptions options_;
  PublishedFiles& files_;
  AdminControl* control_ = nullptr;
  std::vector<std::string> addresses_;
  Mutex mu_;
  // Null before the server has started.
  std::shared_ptr<Authenticator> authenticator_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<AuditLog> audit_log_ ABSL_GUARDED_BY(mu_);
};

// Reopens and reads files on a thread of its own, because their file system may hang. `reloader`,
// which may be null, and `daemon` must never be destroyed.
void ReloadDetached(Daemon& daemon, ConfigReloader* reloader) {
  try {
    std::thread([&daemon, reloader] {
      daemon.ReopenAuditLog();
      if (reloader != nullptr) reloader->Reload();
    }).detach();
  } catch (const std::exception& error) {
    spdlog::error("cannot reload the configuration: {}", error.what());
  }
}

// As SIGHUP does, for administrators.
void ReopenFiles(Daemon& daemon) {
  const absl::Status status = ReopenLog();
  if (!status.ok()) spdlog::error("{}", Message(status));
  daemon.ReopenAuditLog();
}

void PrintError(const absl::Status& status) {
  std::string_view rest = Message(status);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    std::fprintf(stderr, "stagedoord: %s\n", std::string(line).c_str());
    rest.remove_prefix(line.size() == rest.size() ? line.size() : line.size() + 1);
  }
}

// Returns the exit status.
int Print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::fprintf(stderr, "stagedoord: cannot write to standard output: %s\n", std::strerror(errno));
  return 1;
}

// For --check-config and --print-config.
int ShowConfig(const DaemonConfig& config) {
  const std::vector<std::string> schema_paths = SchemaPathsFromEnvironment();
  const absl::Status status = CheckDaemonConfig(config, schema_paths);
  if (!status.ok()) {
    PrintError(status);
    return kExitUsage;
  }
  return Print(config.flags.print_config ? PrintDaemonConfig(config, schema_paths)
                                         : "configuration ok\n");
}

// Returns only if the daemon could not be set up. `read` reads `config` again.
int Run(const char* program, DaemonConfig config, ConfigReloader::Read read) {
  DaemonFlags flags = config.flags;
  for (std::string& path : SchemaPathsFromEnvironment()) {
    flags.server.schema_paths.push_back(std::move(path));
  }
  ApplyMemoryLimits(flags.server);
  DisableDeadlockDetector();
  SignalReceiver signals(!flags.log_file.empty() || !flags.config_file.empty() ||
                         !flags.server.audit_log.empty());
  const int signal_fd = signals.Setup();
  ShortenTimeSlices();
  RaiseFileLimit();
  KeepGrpcInitialized();
  const absl::Status log = InitializeLog(flags.log_level, flags.log_file, flags.log_format);
  if (!log.ok()) {
    PrintError(Annotate(log, "--log-file"));
    return kExitUsage;
  }
  InstallCrashHandler(program);
  auto store = OpenSessionStore(flags.session_store);
  if (!store.ok()) {
    PrintError(store.status());
    return kExitUsage;
  }
  flags.server.session_store = *std::move(store);
  // Never destroyed, because a server that hangs may still use them.
  auto& files = *new PublishedFiles(flags);
  auto& daemon = *new Daemon(flags.server, files);
  const bool has_file = !flags.config_file.empty();
  auto& reloader = *new ConfigReloader(
      std::move(config), std::move(read),
      [&daemon](const AccessOptions& access) { return daemon.SetAccess(access); });
  auto& control = *new DaemonControl({.reloader = &reloader,
                                      .has_config_file = has_file,
                                      .schema_paths = SchemaPathsFromEnvironment(),
                                      .reopen_files = [&daemon] { ReopenFiles(daemon); },
                                      .stop = [] { ::kill(::getpid(), SIGTERM); }});
  daemon.SetControl(control);
  Lifecycle lifecycle;
  lifecycle.times = flags.drain;
  lifecycle.start = [&daemon] { return daemon.Start(); };
  lifecycle.publish = [&daemon] { return daemon.Publish(); };
  lifecycle.reload = [&daemon, reloader = has_file ? &reloader : nullptr] {
    ReloadDetached(daemon, reloader);
  };
  lifecycle.stopping = [&control] { control.SetDraining(); };
  lifecycle.clean_up = [&files] { files.RemoveAll(); };
  const int status = RunUntilStopped(lifecycle, signals, signal_fd);
  files.RemoveFile();
  // Skips the destructors of globals, which gRPC threads may still use.
  ::_exit(status);
}

int Main(int argc, char** argv) {
  // The launcher of the daemon's wheel executes the dynamic loader, whose name the process would
  // have.
  ::prctl(PR_SET_NAME, "stagedoord");
  ReserveStandardStreams();
  const auto read = [args = std::vector<std::string>(argv + 1, argv + argc),
                     environment = ProcessEnvironment()] {
    return ReadDaemonConfig(args, environment);
  };
  absl::StatusOr<DaemonConfig> config = read();
  if (!config.ok()) {
    PrintError(config.status());
    return kExitUsage;
  }
  const DaemonFlags& flags = config->flags;
  if (flags.help) return Print(DaemonFlagsHelp());
  if (flags.version) return Print(Concat("stagedoord ", kVersion, "\n"));
  if (flags.check_config || flags.print_config) return ShowConfig(*config);
  return Run(argv[0], *std::move(config), read);
}

}  // namespace
}  // namespace stagedoor::server

int main(int argc, char** argv) { return stagedoor::server::Main(argc, argv); }
