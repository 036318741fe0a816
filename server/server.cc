#include "server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/lane_executor.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/engine.h"
#include "server/handlers/server_state.h"
#include "server/machine_memory.h"
#include "server/metrics/metrics_collector.h"
#include "server/metrics/metrics_endpoint.h"
#include "server/rpc/call_runtime.h"
#include "server/services/services.h"

namespace stagedoor {
namespace {

constexpr std::chrono::seconds kSweepInterval{1};

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
}

// `limits` with those filled in that depend on the machine.
CallLimits CompleteLimits(CallLimits limits) {
  if (!limits.all_bytes) limits.all_bytes = DefaultCallsBytes(UsableMemory());
  if (!limits.max_bytes) limits.max_bytes = *limits.all_bytes / 2;
  return limits;
}

// A socket file that a dead daemon left behind would keep us from listening.
void RemoveStaleSocket(const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  if (address.compare(0, kUnix.size(), kUnix) != 0) return;
  const std::string path = address.substr(kUnix.size());
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) ::unlink(path.c_str());
}

// "127.0.0.1:0" with the port that was chosen.
std::string ChosenAddress(const std::string& address, int port) {
  const size_t colon = address.rfind(':');
  if (address.compare(0, 5, "unix:") == 0 || colon == std::string::npos) return address;
  return Concat(address.substr(0, colon + 1), port);
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& server_options)
      : options(server_options),
        executor({.threads = ThreadCount(server_options.threads)}),
        runtime(executor, CompleteLimits(server_options.calls)) {}

  ~Impl() {
    Drain(std::chrono::milliseconds(200));
    StopSweeper();
  }

  absl::Status Start(std::shared_ptr<const Resolver> resolver) {
    SD_ASSIGN_OR_RETURN(engine, resolver ? Engine::Create(options, std::move(resolver), executor)
                                         : Engine::Create(options, executor));
    stages =
        std::make_unique<StageCache>(engine->environment(), &engine->text_format(), options.stages);
    leases = std::make_unique<LeaseTable>(options.leases);
    state = std::make_unique<ServerState>(
        ServerState{engine->layers(), *stages, *leases, options.limits, &runtime});
    SD_RETURN_IF_ERROR(Listen());
    if (!options.metrics_address.empty()) {
      SD_ASSIGN_OR_RETURN(metrics,
                          MetricsEndpoint::Start(options.metrics_address,
                                                 std::make_shared<MetricsCollector>(*state)));
      metrics_address = metrics->address();
    }
    sweeper = std::thread([this] { Sweep(); });
    return absl::OkStatus();
  }

  absl::Status Listen() {
    static std::once_flag plugins;
    std::call_once(plugins, [&] {
      grpc::EnableDefaultHealthCheckService(true);
      if (options.reflection) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    });
    grpc::ServerBuilder builder;
    std::vector<int> ports(options.addresses.size(), 0);
    for (size_t i = 0; i < options.addresses.size(); ++i) {
      RemoveStaleSocket(options.addresses[i]);
      builder.AddListeningPort(options.addresses[i], grpc::InsecureServerCredentials(), &ports[i]);
    }
    builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_request_bytes));
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    services.push_back(MakeStagesService(runtime, *state));
    services.push_back(MakeQueryService(runtime, *state));
    services.push_back(MakeLayersService(runtime, *state));
    services.push_back(MakeCacheService(runtime, *state));
    services.push_back(MakeGeomService(runtime, *state));
    services.push_back(MakeSkelService(runtime, *state));
    services.push_back(MakeStatsService(runtime, *state));
    for (const auto& service : services) builder.RegisterService(service.get());
    server = builder.BuildAndStart();
    if (server == nullptr)
      return UnavailableError("can't listen on ", Join(options.addresses, ", "));
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i] == 0) return UnavailableError("can't listen on ", options.addresses[i]);
      addresses.push_back(ChosenAddress(options.addresses[i], ports[i]));
    }
    server->GetHealthCheckService()->SetServingStatus(true);
    return absl::OkStatus();
  }

  void Drain(std::chrono::milliseconds patience) {
    if (server == nullptr || drained.exchange(true)) return;
    server->GetHealthCheckService()->SetServingStatus(false);
    server->Shutdown(std::chrono::system_clock::now() + patience);
    server->Wait();
  }

  // Now and then cuts off clients that do not read, and drops expired leases, with the last lease
  // what the cache need not keep.
  void Sweep() {
    MutexLock lock(sweep_mu);
    while (!stopping) {
      sweep_wake.WaitUntil(sweep_mu, std::chrono::steady_clock::now() + kSweepInterval);
      runtime.stalls().Sweep();
      if (leases->Sweep() != 0) stages->Trim();
    }
  }

  void StopSweeper() {
    {
      MutexLock lock(sweep_mu);
      stopping = true;
      sweep_wake.NotifyAll();
    }
    if (sweeper.joinable()) sweeper.join();
  }

  const ServerOptions options;
  LaneExecutor executor;
  CallRuntime runtime;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<StageCache> stages;
  std::unique_ptr<LeaseTable> leases;
  std::unique_ptr<ServerState> state;
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<grpc::Server> server;
  std::vector<std::string> addresses;
  std::unique_ptr<MetricsEndpoint> metrics;
  std::string metrics_address;
  std::atomic<bool> drained{false};

  Mutex sweep_mu;
  CondVar sweep_wake;
  bool stopping ABSL_GUARDED_BY(sweep_mu) = false;
  std::thread sweeper;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  return Start(options, nullptr);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      std::shared_ptr<const Resolver> resolver) {
  auto impl = std::make_unique<Impl>(options);
  SD_RETURN_IF_ERROR(impl->Start(std::move(resolver)));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

const std::vector<std::string>& Server::addresses() const { return impl_->addresses; }

const std::string& Server::metrics_address() const { return impl_->metrics_address; }

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return impl_->server->InProcessChannel(arguments);
}

void Server::Drain(std::chrono::milliseconds patience) { impl_->Drain(patience); }

}  // namespace stagedoor
