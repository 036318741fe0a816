#include "server/server.h"

#include <grpc/compression.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/freed_memory.h"
#include "base/lane_executor.h"
#include "base/memory_guard.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "grpc/health/v1/health.pb.h"
#include "server/access/authenticator.h"
#include "server/access/unix_peers.h"
#include "server/handlers/admin_control.h"
#include "server/handlers/server_state.h"
#include "server/handlers/session_sharing.h"
#include "server/handlers/warm_up.h"
#include "server/lifecycle/idle_watch.h"
#include "server/listen/connection_counter.h"
#include "server/listen/connection_limits.h"
#include "server/listen/listen_address.h"
#include "server/listen/server_credentials.h"
#include "server/listen/socket_listener.h"
#include "server/listen/unix_socket_lock.h"
#include "server/log/audit_log.h"
#include "server/log/request_log.h"
#include "server/machine_cores.h"
#include "server/machine_memory.h"
#include "server/memory/memory_keeper.h"
#include "server/memory/memory_pressure.h"
#include "server/metrics/health_state.h"
#include "server/metrics/metrics_collector.h"
#include "server/metrics/metrics_endpoint.h"
#include "server/rpc/call_admission.h"
#include "server/services/services.h"
#include "server/stages/path_set_store.h"
#include "server/stages/stage_follower.h"
#include "server/stages/stage_watches.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::seconds kSweepInterval{1};

// How long emptying caches waits for idle stages to be destroyed.
constexpr std::chrono::milliseconds kDestructionPatience{500};

// A client that does not read has its call cut off first, which is counted and logged. If the bytes
// are stuck even then, the connection is closed.
constexpr std::chrono::seconds kUntilCutOff = 2 * kSweepInterval;

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return std::max(2, UsableCores());
}

// The call limits, with memory-dependent defaults filled in.
CallLimits LimitsOf(const ServerOptions& options) {
  CallLimits limits = options.calls;
  if (!limits.all_bytes) limits.all_bytes = DefaultCallsBytes(EffectiveMemoryLimit(options));
  if (!limits.max_bytes) limits.max_bytes = *limits.all_bytes / 2;
  return limits;
}

// Replaces the port, as in "127.0.0.1:0", by the one that was chosen.
std::string ChosenAddress(const std::string& address, const ListenAddress& parsed, int port) {
  if (parsed.is_unix()) return address;
  return Concat(address.substr(0, address.rfind(':') + 1), port);
}

// gRPC checks the size of a request only after decompression, when a megabyte may already have
// become a gigabyte.
void RefuseCompressedRequests(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder->SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
}

// Where stages are reopened that follow changes.
class LongLane final : public Executor {
 public:
  explicit LongLane(LaneExecutor& executor) : executor_(executor) {}
  void Schedule(std::function<void()> fn) override {
    executor_.Schedule(Lane::kLong, std::move(fn));
  }
  int concurrency() const override { return executor_.concurrency(); }

 private:
  LaneExecutor& executor_;
};

// Removes the reflection plugin, which every builder in the process has once it is registered.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins,
                  [](const auto& plugin) { return plugin->name() == "proto_server_reflection"; });
  }
};

// Where gRPC takes the connections that are accepted for it.
using Acceptor = grpc::experimental::ExternalConnectionAcceptor;

std::unique_ptr<Acceptor> AddAcceptor(std::shared_ptr<grpc::ServerCredentials> credentials,
                                      grpc::ServerBuilder& builder) {
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  return builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD,
                                                              std::move(credentials));
}

void ServeConnection(int fd, Acceptor& acceptor) {
  Acceptor::NewConnectionParameters connection;
  connection.fd = fd;
  acceptor.HandleNewConnection(&connection);
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& server_options)
      : options(FitToMemoryLimit(server_options)),
        executor(std::make_unique<LaneExecutor>(
            LaneExecutor::Options{.threads = ThreadCount(server_options.threads)})),
        admission(*executor, LimitsOf(options)) {
    admission.SetRequestLog(&request_log);
  }

  ~Impl() {
    Drain(std::chrono::milliseconds(200));
    StopSweeper();
    metrics = nullptr;  // which reads from all others
    warm_up = nullptr;
    sharing = nullptr;
    keeper = nullptr;
    if (engine != nullptr) engine->remote().SetRelief(nullptr);
    // Ends clip prefetches before the engine that they use is destroyed.
    follower = nullptr;
    executor = nullptr;
  }

  absl::Status Start(std::shared_ptr<const Resolver> resolver, AdminControl* control) {
    SD_RETURN_IF_ERROR(CheckListening(options));
    SD_RETURN_IF_ERROR(GuardCalls());
    if (!options.metrics_address.empty()) {
      SD_ASSIGN_OR_RETURN(metrics, MetricsEndpoint::Start(options.metrics_address, health));
      metrics_address = metrics->address();
    }
    LocalEngineOptions engine_options = EngineOptions(options);
    engine_options.resolver = std::move(resolver);
    engine_options.files.report = [](const std::string& text) { spdlog::warn("{}", text); };
    SD_ASSIGN_OR_RETURN(engine, LocalEngine::Create(engine_options, *executor));
    for (const std::string& problem : engine->schema_problems()) spdlog::warn("{}", problem);
    stages =
        std::make_unique<StageCache>(engine->environment(), options.stages, &engine->sources());
    stage_memory = stages->budget().shared_account();
    engine->remote().SetRelief([this] {
      stages->DropIdle();
      engine->ReleaseUnused();
    });
    pressure = MakePressure();
    path_sets = std::make_unique<PathSetStore>(stage_memory, PathSetStore::Options());
    leases = std::make_unique<LeaseTable>(options.leases);
    follower = MakeFollower();
    if (options.session_store != nullptr) {
      sharing = std::make_unique<SessionSharing>(
          *options.session_store, *stages, long_lane,
          SessionSharing::Options{.max_lease_ttl = options.leases.max_ttl,
                                  .limits = admission.MakeRequestLimits(),
                                  .use_interval = options.use_report_interval});
    }
    Capabilities capabilities = {options.max_request_bytes, OffersReflection(options),
                                 engine->backends()};
    state = std::make_unique<ServerState>(ServerState{
        engine->layers(), *stages, *leases, sessions, opened, *path_sets, options.limits,
        std::move(capabilities), &admission, follower.get(), &engine->remote(), pressure.get(),
        audit.get(), &connections, control, &watches, sharing.get()});
    SD_RETURN_IF_ERROR(Listen());
    if (pressure != nullptr) {
      keeper = std::make_unique<MemoryKeeper>(*pressure,
                                              [this](MemoryLevel level) { SetMemoryLevel(level); });
    }
    warm_up = MakeWarmUp();
    if (metrics != nullptr) {
      metrics->SetMetrics(std::make_shared<MetricsCollector>(*state, warm_up.get()));
    }
    sweeper = std::thread([this] { Sweep(); });
    if (warm_up != nullptr) {
      warm_up->Start();
    } else {
      AnnounceServing();
    }
    return absl::OkStatus();
  }

  // Null if no stages are opened before there are clients.
  std::unique_ptr<WarmUp> MakeWarmUp() {
    // More stages would not be kept.
    const size_t max_stages = std::min(options.warm_up_stages, options.stages.max_idle_stages);
    if (sharing == nullptr || max_stages == 0) return nullptr;
    WarmUp::Options warm_up_options = {.max_stages = max_stages,
                                       .timeout = options.warm_up_timeout,
                                       .limits = admission.MakeRequestLimits(),
                                       .ended = [this] { AnnounceServing(); }};
    if (!options.access.roles.empty()) {
      warm_up_options.scopes.clear();
      for (const RoleOptions& role : options.access.roles) {
        warm_up_options.scopes.push_back(role.grants.assets);
      }
    }
    return std::make_unique<WarmUp>(*state, long_lane, std::move(warm_up_options));
  }

  // Sets up who may make which calls.
  absl::Status GuardCalls() {
    if (!options.audit_log.empty()) {
      SD_ASSIGN_OR_RETURN(audit, AuditLog::Open(options.audit_log));
    }
    SD_ASSIGN_OR_RETURN(
        authenticator,
        Authenticator::Create(
            {.access = options.access, .trust_all = TrustsAllCallers(options), .audit = audit}));
    admission.SetGate(authenticator.get());
    return absl::OkStatus();
  }

  // Null if no memory limit is known.
  std::unique_ptr<MemoryPressure> MakePressure() {
    const std::optional<uint64_t> memory = EffectiveMemoryLimit(options);
    if (options.memory_limit == 0 || !memory) return nullptr;
    MemoryPressure::Options pressure_options;
    pressure_options.limits = MemoryPressureLimits(RequestMemoryLimit(*memory));
    pressure_options.used = MemoryInUse;
    pressure_options.return_to_system = ReturnFreedMemory;
    pressure_options.steps = {
        {"path_sets", [this] { path_sets->Evict(); }},
        {"layers", [this] { engine->layers().DropUnused(); }},
        {"clips", [this] { engine->clips().cache().Clear(); }},
        {"stages", [this] {
           RequestContext context(RequestContext::Clock::now() + kDestructionPatience);
           (void)stages->EvictIdle(context);  // if it takes longer, it is done soon
           engine->layers().DropUnused();
         }}};
    return std::make_unique<MemoryPressure>(std::move(pressure_options));
  }

  void SetMemoryLevel(MemoryLevel level) {
    admission.SetMemoryLevel(level);
    stages->budget().SetPressed(level != MemoryLevel::kNormal);
    spdlog::log(level == MemoryLevel::kNormal ? spdlog::level::info : spdlog::level::warn,
                "memory is at level {}: {} MiB are in use, the limits are {} and {} MiB",
                kMemoryLevelNames[static_cast<size_t>(level)], pressure->used() >> 20,
                pressure->limits().soft_bytes >> 20, pressure->limits().hard_bytes >> 20);
  }

  std::unique_ptr<StageFollower> MakeFollower() {
    FollowOptions follow;
    follow.limits = admission.MakeRequestLimits();
    follow.search_paths = options.search_paths;
    return std::make_unique<StageFollower>(
        *stages, engine->MakeChangeSource({.interval = options.follow_poll}), long_lane,
        std::move(follow));
  }

  absl::Status Listen() {
    // gRPC serves health checks without linking their descriptor, which reflection needs.
    grpc::health::v1::HealthCheckRequest::descriptor();
    static std::once_flag plugins;
    std::call_once(plugins, [] {
      grpc::EnableDefaultHealthCheckService(true);
      grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    });
    grpc::ServerBuilder builder;
    if (!OffersReflection(options)) builder.SetOption(std::make_unique<WithoutReflection>());
    SD_ASSIGN_OR_RETURN(const auto credentials, MakeServerCredentials(options.tls));
    std::vector<ListenAddress> wanted;
    // The peers of Unix sockets need to be identified only if there are roles.
    const bool know_unix_peers = !options.access.roles.empty();
    if (know_unix_peers) unix_peers = std::make_unique<UnixPeers>(builder);
    for (const std::string& address : options.addresses) {
      SD_ASSIGN_OR_RETURN(wanted.emplace_back(), ClaimAddress(address));
    }
    tcp_connections = AddAcceptor(credentials, builder);
    unix_connections = AddAcceptor(grpc::InsecureServerCredentials(), builder);
    builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_request_bytes));
    builder.SetMaxSendMessageSize(-1);
    ApplyConnectionLimits(options.connections, builder);
    RefuseCompressedRequests(&builder);
    MakeServices();
    for (const auto& service : services) builder.RegisterService(service.get());
    server = builder.BuildAndStart();
    if (server == nullptr) return UnavailableError("cannot start the gRPC server");
    SetGrpcHealth(false);  // otherwise that of the whole server would be SERVING
    for (size_t i = 0; i < wanted.size(); ++i) {
      SD_RETURN_IF_ERROR(ListenOn(options.addresses[i], wanted[i]));
    }
    return absl::OkStatus();
  }

  absl::Status ListenOn(const std::string& address, const ListenAddress& parsed) {
    const bool tls = !parsed.is_unix() && options.tls.enabled();
    auto listener = SocketListener::Listen(
        parsed, [this, &acceptor = parsed.is_unix() ? *unix_connections : *tcp_connections,
                 unix = parsed.is_unix(), tls](int fd) {
          if (!connections.Admit(fd)) return RefuseConnection(fd, tls);
          SocketListener::CloseIfStalled(fd, options.calls.stall + kUntilCutOff);
          if (unix && unix_peers != nullptr) return ServePeer(fd);
          ServeConnection(fd, acceptor);
        });
    if (!listener.ok()) {
      return UnavailableError("cannot listen on ", Quoted(address), ": ",
                              Message(listener.status()));
    }
    listeners.push_back(*std::move(listener));
    addresses.push_back(ChosenAddress(address, parsed, listeners.back()->port()));
    return absl::OkStatus();
  }

  // Serves the connection of a user of this machine.
  void ServePeer(int fd) {
    const auto credentials = ReadSocketCredentials(fd);
    const absl::Status status =
        unix_peers->Serve(fd, credentials.ok() ? std::optional(*credentials) : std::nullopt);
    if (!status.ok()) spdlog::warn("a client of a Unix socket is unknown: {}", Message(status));
  }

  // Parses the address. A Unix socket is locked, so that no other daemon takes it over.
  absl::StatusOr<ListenAddress> ClaimAddress(const std::string& address) {
    absl::StatusOr<ListenAddress> parsed = ListenAddress::Parse(address);
    if (!parsed.ok()) {
      return Annotate(parsed.status(), Concat("cannot listen on ", Quoted(address)));
    }
    if (parsed->is_unix()) {
      SD_ASSIGN_OR_RETURN(claims.emplace_back(), UnixSocketLock::Acquire(parsed->socket_path));
    }
    return parsed;
  }

  void MakeServices() {
    services.push_back(MakeStagesService(admission, *state));
    services.push_back(MakeSessionsService(admission, *state));
    services.push_back(MakeQueryService(admission, *state));
    services.push_back(MakeLayersService(admission, *state));
    services.push_back(MakeCacheService(admission, *state));
    services.push_back(MakeGeomService(admission, *state));
    services.push_back(MakeShadeService(admission, *state));
    services.push_back(MakeLuxService(admission, *state));
    services.push_back(MakeSkelService(admission, *state));
    services.push_back(MakeServerService(admission, *state));
    services.push_back(MakeAdminService(admission, *state));
  }

  // Sets the status of each service and of the whole server, whose name is empty.
  void SetGrpcHealth(bool serving) {
    auto* service = server->GetHealthCheckService();
    for (const char* name : kServiceNames) service->SetServingStatus(name, serving);
    service->SetServingStatus(serving);
  }

  // No effect after AnnounceShutdown.
  void AnnounceServing() {
    MutexLock lock(health_mu);
    if (!health.SetServing()) return;
    SetGrpcHealth(true);
  }

  void AnnounceShutdown() {
    if (server == nullptr) return;
    {
      MutexLock lock(health_mu);
      health.SetDraining();
      SetGrpcHealth(false);
    }
    if (warm_up != nullptr) warm_up->Stop();
  }

  void Drain(std::chrono::milliseconds grace_period) {
    if (server == nullptr || drained.exchange(true)) return;
    AnnounceShutdown();
    shutting_down = true;
    // After CancelCalls there is nothing to wait for.
    if (calls_unwanted) grace_period = std::chrono::milliseconds(0);
    listeners.clear();
    admission.suspended().Drain();  // their clients continue elsewhere
    server->Shutdown(std::chrono::system_clock::now() + grace_period);
    server->Wait();
  }

  void CancelCalls() {
    calls_unwanted = true;
    // gRPC's C++ API cannot change the deadline of a shutdown in progress.
    if (shutting_down) grpc_server_cancel_all_calls(server->c_server());
  }

  // Periodically ends calls whose clients do not read or that wait too long, drops expired leases
  // and the stages that the cache need not keep without a lease, and sees whether the workers
  // answer.
  void Sweep() {
    MutexLock lock(sweep_mu);
    while (!stopping) {
      sweep_wake.WaitUntil(sweep_mu, std::chrono::steady_clock::now() + kSweepInterval);
      admission.stall_watchdog().Sweep();
      admission.queue().Sweep();
      admission.slowest_calls().Sweep();
      admission.suspended().Sweep();
      leases->Sweep();
      if (sharing != nullptr) sharing->Report(*leases);
      if (warm_up != nullptr) warm_up->EndIfLate();
      stages->Trim();
      health.Beat([this](std::function<void()> answer) {
        executor->Schedule(Lane::kShort, std::move(answer));
      });
      StopIfIdle();
    }
  }

  void StopIfIdle() {
    IdleWatch::Use use;
    use.open = admission.calls_in_flight() + admission.suspended().size() + leases->size();
    for (const MethodCounters* method : admission.AllCounters()) {
      use.calls += static_cast<uint64_t>(method->calls.load(std::memory_order_relaxed));
    }
    if (!idle.Observe(std::chrono::steady_clock::now(), use) || state->control == nullptr) return;
    if (state->control->Drain()) return;  // it stops already
    spdlog::info("stopping, as --stop-when-idle says: no calls and no leases for {} s",
                 std::chrono::duration_cast<std::chrono::seconds>(options.stop_when_idle).count());
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
  HealthState health;
  Mutex health_mu;  // held while what clients see of `health` changes
  RequestLog request_log{options.request_log};
  std::unique_ptr<LaneExecutor> executor;
  LongLane long_lane{*executor};
  std::shared_ptr<AuditLog> audit;  // null if there is none
  std::shared_ptr<Authenticator> authenticator;
  CallAdmission admission;
  std::shared_ptr<MemoryAccount> stage_memory;  // outlives the engine: StageBudget::shared_account
  std::unique_ptr<LocalEngine> engine;
  std::unique_ptr<StageCache> stages;
  std::unique_ptr<PathSetStore> path_sets;
  std::unique_ptr<MemoryPressure> pressure;  // null without a memory limit
  std::unique_ptr<MemoryKeeper> keeper;
  std::unique_ptr<StageFollower> follower;
  std::unique_ptr<LeaseTable> leases;
  SessionTable sessions;
  RequestIdTable opened{RequestIdTable::Options()};
  std::unique_ptr<SessionSharing> sharing;  // null if there are no replicas
  StageWatches watches{{.max_watches = options.calls.max_watches,
                        .max_per_client = options.calls.max_watches_per_client,
                        .timer = {}}};
  std::unique_ptr<ServerState> state;
  std::unique_ptr<WarmUp> warm_up;                      // null if there is none
  std::vector<std::unique_ptr<UnixSocketLock>> claims;  // released after the server is destroyed
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<UnixPeers> unix_peers;  // null unless it matters; outlives the server
  std::unique_ptr<Acceptor> tcp_connections, unix_connections;
  std::unique_ptr<grpc::Server> server;
  ConnectionCounter connections{FitToFileLimit(options.connections.max_connections)};
  std::vector<std::unique_ptr<SocketListener>> listeners;
  std::vector<std::string> addresses;
  std::unique_ptr<MetricsEndpoint> metrics;
  std::string metrics_address;
  std::atomic<bool> drained{false};
  std::atomic<bool> shutting_down{false};
  std::atomic<bool> calls_unwanted{false};

  Mutex sweep_mu;
  CondVar sweep_wake;
  bool stopping ABSL_GUARDED_BY(sweep_mu) = false;
  IdleWatch idle{options.stop_when_idle};  // of the sweeper
  std::thread sweeper;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  return Start(options, nullptr, nullptr);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      std::shared_ptr<const Resolver> resolver,
                                                      AdminControl* control) {
  auto impl = std::make_unique<Impl>(options);
  SD_RETURN_IF_ERROR(impl->Start(std::move(resolver), control));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

const std::vector<std::string>& Server::addresses() const { return impl_->addresses; }

std::shared_ptr<Authenticator> Server::authenticator() const { return impl_->authenticator; }

std::shared_ptr<AuditLog> Server::audit_log() const { return impl_->audit; }

const std::string& Server::metrics_address() const { return impl_->metrics_address; }

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return impl_->server->InProcessChannel(arguments);
}

void Server::AnnounceShutdown() { impl_->AnnounceShutdown(); }

void Server::Drain(std::chrono::milliseconds grace_period) { impl_->Drain(grace_period); }

void Server::CancelCalls() { impl_->CancelCalls(); }

size_t Server::calls_in_flight() const { return impl_->admission.calls_in_flight(); }

}  // namespace stagedoor::server
