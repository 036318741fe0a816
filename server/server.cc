#include "server/server.h"

#include <grpcpp/channel.h>
#include <grpcpp/impl/codegen/service_type.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/lane_executor.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/authenticator.h"
#include "server/grpc_server.h"
#include "server/handlers/upstream_report.h"
#include "server/handlers/warm_handler.h"
#include "server/http_frames/frame_gateway.h"
#include "server/lifecycle/admin_control.h"
#include "server/lifecycle/at_end.h"
#include "server/lifecycle/idle_watch.h"
#include "server/lifecycle/periodic_thread.h"
#include "server/listen/connection_counter.h"
#include "server/listen/listen_address.h"
#include "server/log/audit_log.h"
#include "server/log/audit_sink.h"
#include "server/log/request_log.h"
#include "server/machine/machine_cores.h"
#include "server/machine/machine_memory.h"
#include "server/memory/memory_holders.h"
#include "server/memory/memory_keeper.h"
#include "server/memory/memory_pressure.h"
#include "server/metrics/health_state.h"
#include "server/metrics/metric_families.h"
#include "server/metrics/metrics_collector.h"
#include "server/metrics/metrics_endpoint.h"
#include "server/query_socket/query_socket.h"
#include "server/query_stream/query_channel_service.h"
#include "server/query_stream/query_streams.h"
#include "server/rpc/call_admission.h"
#include "server/scenes.h"
#include "server/services/own_services.h"
#include "server/services/server_state.h"
#include "server/services/services.h"
#include "server/sessions/shared_sessions.h"
#include "server/sharing/session_sharing.h"
#include "server/sharing/warm_up.h"
#include "server/stages/stage_follower.h"
#include "server/stages/stage_watches.h"
#include "server/upstream/forward_service.h"
#include "server/upstream/node.h"
#include "server/upstream/node_metrics.h"
#include "server/upstream/node_queries.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::seconds kSweepInterval{1};

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return std::max(2, UsableCores());
}

QuerySocket::Options QuerySocketOptions(const ServerOptions& options, QuerySource* source) {
  constexpr int kMostThreads = 8;
  return {.path = options.query_socket,
          // As gRPC's Unix sockets.
          .know_peers = !options.access.roles.empty(),
          .source = source,
          .threads = std::min(std::max(2, UsableCores() + 1), kMostThreads)};
}

// The call limits, with memory-dependent defaults filled in.
CallLimits LimitsOf(const ServerOptions& options) {
  CallLimits limits = options.calls;
  if (!limits.all_bytes) limits.all_bytes = DefaultCallsBytes(EffectiveMemoryLimit(options));
  if (!limits.max_bytes) limits.max_bytes = *limits.all_bytes / 2;
  return limits;
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

}  // namespace

// The members are in the order of their lifetimes: each may use those above it, and is destroyed
// before them.
class Server::Impl {
 public:
  Impl(const ServerOptions& server_options, AdminControl* admin_control)
      : options_(FitToMemoryLimit(server_options)),
        control_(admin_control == nullptr ? static_cast<AdminControl&>(no_control_)
                                          : *admin_control),
        executor_(std::make_unique<LaneExecutor>(
            LaneExecutor::Options{.threads = ThreadCount(server_options.threads)})),
        admission_(*executor_, LimitsOf(options_)) {
    admission_.SetRequestLog(&request_log_);
  }

  absl::Status Start(std::shared_ptr<const Resolver> resolver) {
    SD_RETURN_IF_ERROR(CheckListening(options_));
    if (options_.upstream.enabled()) {
      const uint64_t memory = EffectiveMemoryLimit(options_).value_or(uint64_t{1} << 30);
      SD_ASSIGN_OR_RETURN(node_, Node::Create(options_.upstream, options_.leases, memory / 4,
                                              [this](std::function<void()> work) {
                                                executor_->Schedule(Lane::kLong, std::move(work));
                                              }));
      node_->SetQuerySocket(options_.query_socket);
      node_queries_ = std::make_unique<NodeQueries>(*node_);
    }
    SD_RETURN_IF_ERROR(GuardCalls());
    if (!options_.metrics_address.empty()) {
      SD_ASSIGN_OR_RETURN(
          metrics_, MetricsEndpoint::Start(options_.metrics_address, health_, MakeHttpStreams()));
      metrics_address_ = metrics_->address();
    }
    SD_RETURN_IF_ERROR(scenes_.Open(options_, std::move(resolver), *executor_, MemoryOfOthers()));
    follower_ = MakeFollower();
    if (options_.session_store != nullptr) sharing_ = MakeSharing();
    state_ = MakeState();
    streams_ = std::make_unique<QueryStreams>(
        QueryStreams::Options{.max_streams = options_.calls.max_watches,
                              .max_per_client = options_.calls.max_watches_per_client},
        admission_, state_->Get<QueryState>());
    SD_ASSIGN_OR_RETURN(grpc_, GrpcServer::Start(options_, connections_, MakeServices()));
    if (!options_.query_socket.empty()) {
      SD_ASSIGN_OR_RETURN(queries_,
                          QuerySocket::Listen(QuerySocketOptions(options_, node_queries_.get()),
                                              admission_, state_->Get<QueryState>(), connections_));
    }
    if (http_frames_ != nullptr) http_frames_->SetChannel(grpc_->InProcessChannel());
    if (scenes_.pressure != nullptr) {
      keeper_ = std::make_unique<MemoryKeeper>(
          *scenes_.pressure, [this](MemoryLevel level) { SetMemoryLevel(level); });
    }
    warm_up_ = MakeWarmUp();
    if (metrics_ != nullptr) metrics_->SetMetrics(MakeCollector());
    sweeper_.emplace(kSweepInterval, [this] { Sweep(); });
    if (warm_up_ != nullptr) {
      warm_up_->Start();
    } else {
      AnnounceServing();
    }
    return absl::OkStatus();
  }

  const std::vector<std::string>& addresses() const { return grpc_->addresses(); }
  const std::string& metrics_address() const { return metrics_address_; }
  const std::shared_ptr<Authenticator>& authenticator() const { return authenticator_; }
  const std::shared_ptr<AuditLog>& audit() const { return audit_; }
  std::shared_ptr<grpc::Channel> InProcessChannel() { return grpc_->InProcessChannel(); }
  size_t calls_in_flight() const { return admission_.calls_in_flight(); }

  // No effect after AnnounceShutdown.
  void AnnounceServing() {
    MutexLock lock(health_mu_);
    if (!health_.SetServing()) return;
    grpc_->SetHealth(true);
  }

  void AnnounceShutdown() {
    if (grpc_ == nullptr) return;
    {
      MutexLock lock(health_mu_);
      health_.SetDraining();
      grpc_->SetHealth(false);
    }
    if (warm_up_ != nullptr) warm_up_->Stop();
  }

  void Drain(std::chrono::milliseconds grace_period) {
    if (grpc_ == nullptr || drained_.exchange(true)) return;
    AnnounceShutdown();
    shutting_down_ = true;
    // After CancelCalls there is nothing to wait for.
    if (calls_unwanted_) grace_period = std::chrono::milliseconds(0);
    grpc_->StopListening();
    if (queries_ != nullptr) queries_->Drain();
    streams_->Drain();
    admission_.suspended().Drain();  // their clients continue elsewhere
    const auto deadline = std::chrono::steady_clock::now() + grace_period;
    grpc_->Shutdown(grace_period);
    if (queries_ != nullptr) {
      queries_->Stop(std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now()));
    }
  }

  void CancelCalls() {
    calls_unwanted_ = true;
    if (!shutting_down_) return;
    grpc_->CancelCalls();
    if (queries_ != nullptr) queries_->CancelQueries();
  }

 private:
  // The memory of others that a shortage empties, in addition to that of scenes.
  std::vector<MemoryPressure::Step> MemoryOfOthers() {
    std::vector<MemoryPressure::Step> steps;
    for (const MemoryHolder& holder : UpstreamOf().holders()) {
      steps.push_back({holder.name, holder.drop});
    }
    return steps;
  }

  std::unique_ptr<SessionSharing> MakeSharing() {
    const SessionSharing::Local local{.assets = {.layers = scenes_.engine->layers(),
                                                 .stages = *scenes_.stages,
                                                 .audit = AuditOf(),
                                                 .limits = options_.limits},
                                      .leases = *scenes_.leases,
                                      .sessions = scenes_.sessions,
                                      .follower = *follower_};
    return std::make_unique<SessionSharing>(
        *options_.session_store, local, long_lane_,
        SessionSharing::Options{.max_lease_ttl = options_.leases.max_ttl,
                                .limits = admission_.MakeRequestLimits(),
                                .use_interval = options_.use_report_interval});
  }

  AuditSink& AuditOf() {
    if (audit_ == nullptr) return no_audit_;
    return *audit_;
  }

  UpstreamReport& UpstreamOf() {
    if (node_ == nullptr) return no_upstream_;
    return *node_;
  }

  std::unique_ptr<const ServerState> MakeState() {
    SharedSessions& shared =
        sharing_ == nullptr ? static_cast<SharedSessions&>(unshared_) : *sharing_;
    const ServerObjects objects{.layers = scenes_.engine->layers(),
                                .stages = *scenes_.stages,
                                .leases = *scenes_.leases,
                                .sessions = scenes_.sessions,
                                .opened = scenes_.opened,
                                .path_sets = *scenes_.path_sets,
                                .frames = *scenes_.frames,
                                .watches = watches_,
                                .follower = *follower_,
                                .sharing = shared,
                                .remote = scenes_.engine->remote(),
                                .admission = admission_,
                                .audit = AuditOf(),
                                .control = control_,
                                .upstream = UpstreamOf(),
                                .limits = options_.limits};
    Capabilities capabilities{.max_request_bytes = options_.max_request_bytes,
                              .reflection = OffersReflection(options_),
                              .backends = scenes_.engine->backends(),
                              .query_socket = options_.query_socket};
    return std::make_unique<const ServerState>(objects, std::move(capabilities));
  }

  std::shared_ptr<MetricsCollector> MakeCollector() {
    std::vector<MetricsSource> more;
    if (sharing_ != nullptr) more.push_back(MetricsOf(*sharing_));
    if (warm_up_ != nullptr) more.push_back(MetricsOf(*warm_up_));
    if (scenes_.pressure != nullptr) more.push_back(MetricsOf(*scenes_.pressure));
    if (node_ != nullptr) more.push_back(MetricsOf(*node_));
    more.emplace_back([this](MetricFamilies* families) {
      AddGauge("stagedoor_query_streams", "Streams of query frames.", streams_->size(), families);
    });
    const MetricsCollector::Objects objects{.connections = connections_,
                                            .admission = admission_,
                                            .watches = watches_,
                                            .stages = *scenes_.stages,
                                            .leases = *scenes_.leases,
                                            .layers = scenes_.engine->layers(),
                                            .path_sets = *scenes_.path_sets,
                                            .frames = *scenes_.frames,
                                            .remote = scenes_.engine->remote(),
                                            .follower = *follower_};
    return std::make_shared<MetricsCollector>(objects, std::move(more));
  }

  // The streams that the address of the metrics serves in addition to metrics.
  HttpStreams MakeHttpStreams() {
    HttpStreams streams;
    if (!options_.http_frames) return streams;
    const auto address = ListenAddress::Parse(options_.metrics_address);
    http_frames_ = std::make_unique<FrameGateway>(address.ok() && address->is_local());
    streams["/v1/frame"] = [this](const HttpRequest& request, std::function<void()> wake) {
      return http_frames_->Start(request, std::move(wake));
    };
    return streams;
  }

  // Null if no stages are opened before there are clients.
  std::unique_ptr<WarmUp> MakeWarmUp() {
    // More stages would not be kept.
    const size_t max_stages = std::min(options_.warm_up_stages, options_.stages.max_idle_stages);
    if (sharing_ == nullptr || max_stages == 0) return nullptr;
    WarmUp::Options warm_up_options = {.max_stages = max_stages,
                                       .timeout = options_.warm_up_timeout,
                                       .limits = admission_.MakeRequestLimits(),
                                       .ended = [this] { AnnounceServing(); }};
    if (!options_.access.roles.empty()) {
      warm_up_options.scopes.clear();
      for (const RoleOptions& role : options_.access.roles) {
        warm_up_options.scopes.push_back(role.grants.assets);
      }
    }
    const auto warm = [this](RequestContext& context, const v1::WarmStageRequest& request) {
      return WarmStage(state_->Get<SourceState>(), context, request);
    };
    return std::make_unique<WarmUp>(*sharing_, *scenes_.stages, warm, long_lane_,
                                    std::move(warm_up_options));
  }

  // Sets up who may make which calls.
  absl::Status GuardCalls() {
    if (!options_.audit_log.empty()) {
      SD_ASSIGN_OR_RETURN(audit_, AuditLog::Open(options_.audit_log));
    }
    SD_ASSIGN_OR_RETURN(
        authenticator_,
        Authenticator::Create(
            {.access = options_.access, .trust_all = TrustsAllCallers(options_), .audit = audit_}));
    admission_.SetGate(authenticator_.get());
    return absl::OkStatus();
  }

  void SetMemoryLevel(MemoryLevel level) {
    admission_.SetMemoryLevel(level);
    scenes_.stages->budget().SetPressed(level != MemoryLevel::kNormal);
    spdlog::log(level == MemoryLevel::kNormal ? spdlog::level::info : spdlog::level::warn,
                "memory is at level {}: {} MiB are in use, the limits are {} and {} MiB",
                kMemoryLevelNames[static_cast<size_t>(level)], scenes_.pressure->used() >> 20,
                scenes_.pressure->limits().soft_bytes >> 20,
                scenes_.pressure->limits().hard_bytes >> 20);
  }

  std::unique_ptr<StageFollower> MakeFollower() {
    FollowOptions follow;
    follow.limits = admission_.MakeRequestLimits();
    follow.search_paths = options_.search_paths;
    return std::make_unique<StageFollower>(
        *scenes_.stages, scenes_.engine->MakeChangeSource({.interval = options_.follow_poll}),
        long_lane_, std::move(follow));
  }

  // Those of a node daemon.
  std::vector<std::unique_ptr<grpc::Service>> MakeNodeServices() {
    auto services = MakeForwardServices(admission_, *node_);
    for (auto& own : MakeOwnServices(admission_, *state_)) services.push_back(std::move(own));
    services.push_back(MakeUnimplementedQueryChannelService());
    return services;
  }

  std::vector<std::unique_ptr<grpc::Service>> MakeServices() {
    if (node_ != nullptr) return MakeNodeServices();
    std::vector<std::unique_ptr<grpc::Service>> services;
    services.push_back(MakeStagesService(admission_, *state_));
    services.push_back(MakeSessionsService(admission_, *state_));
    services.push_back(MakeQueryService(admission_, *state_));
    services.push_back(MakeQueryChannelService(*streams_));
    services.push_back(MakeLayersService(admission_, *state_));
    services.push_back(MakeCacheService(admission_, *state_));
    services.push_back(MakeGeomService(admission_, *state_));
    services.push_back(MakeShadeService(admission_, *state_));
    services.push_back(MakeLuxService(admission_, *state_));
    services.push_back(MakeRenderService(admission_, *state_));
    services.push_back(MakeSkelService(admission_, *state_));
    services.push_back(MakeFrameService(admission_, *state_));
    services.push_back(MakePhysicsService(admission_, *state_));
    services.push_back(MakeServerService(admission_, *state_));
    services.push_back(MakeAdminService(admission_, *state_));
    return services;
  }

  // Periodically ends calls whose clients do not read or that wait too long, drops expired leases
  // and the stages that the cache need not keep without a lease, and sees whether the workers
  // answer.
  void Sweep() {
    admission_.stall_watchdog().Sweep();
    admission_.queue().Sweep();
    admission_.slowest_calls().Sweep();
    admission_.suspended().Sweep();
    scenes_.leases->Sweep();
    if (node_ != nullptr) node_->sessions().Sweep();
    if (sharing_ != nullptr) sharing_->Report();
    if (warm_up_ != nullptr) warm_up_->EndIfLate();
    scenes_.stages->Trim();
    if (queries_ != nullptr) queries_->Sweep();
    streams_->Sweep();
    health_.Beat([this](std::function<void()> answer) {
      executor_->Schedule(Lane::kShort, std::move(answer));
    });
    StopIfIdle();
  }

  void StopIfIdle() {
    IdleWatch::Use use;
    use.open =
        admission_.calls_in_flight() + admission_.suspended().size() + scenes_.leases->size();
    if (node_ != nullptr) use.open += node_->sessions().handles();
    for (const MethodCounters* method : admission_.AllCounters()) {
      use.calls += static_cast<uint64_t>(method->calls.load(std::memory_order_relaxed));
    }
    if (!idle_.Observe(std::chrono::steady_clock::now(), use)) return;
    if (control_.Drain()) return;  // it stops already, or is not the server's to stop
    spdlog::info("stopping, as --stop-when-idle says: no calls and no leases for {} s",
                 std::chrono::duration_cast<std::chrono::seconds>(options_.stop_when_idle).count());
  }

  // The objects that all others report to or ask.
  const ServerOptions options_;
  NoAdminControl no_control_;
  AdminControl& control_;
  NoAudit no_audit_;
  NoUpstream no_upstream_;
  std::shared_ptr<AuditLog> audit_;  // null if there is none
  UnsharedSessions unshared_;
  HealthState health_;
  Mutex health_mu_;  // held while what clients see of `health_` changes
  RequestLog request_log_{options_.request_log};
  ConnectionCounter connections_{FitToFileLimit(options_.connections.max_connections)};

  // Who may call, and the threads that work.
  std::unique_ptr<LaneExecutor> executor_;
  LongLane long_lane_{*executor_};
  std::shared_ptr<Authenticator> authenticator_;
  CallAdmission admission_;

  // The objects that calls work on.
  Scenes scenes_;
  // Null for a daemon that holds scenes.
  std::shared_ptr<Node> node_;
  std::unique_ptr<NodeQueries> node_queries_;
  StageWatches watches_{{.max_watches = options_.calls.max_watches,
                         .max_per_client = options_.calls.max_watches_per_client,
                         .timer = {}}};
  std::unique_ptr<const ServerState> state_;
  std::unique_ptr<QueryStreams> streams_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<QuerySocket> queries_;  // null if there is none
  const AtEnd join_threads_{[this] {      // their work uses all of the above
    if (node_ != nullptr) node_->Stop();
    executor_ = nullptr;
  }};

  // The objects that work beside the calls. The follower ends clip prefetches before the threads
  // are joined.
  std::unique_ptr<StageFollower> follower_;
  const AtEnd no_relief_{[this] {
    if (scenes_.engine != nullptr) scenes_.engine->remote().SetRelief(nullptr);
  }};
  std::unique_ptr<MemoryKeeper> keeper_;
  std::unique_ptr<SessionSharing> sharing_;    // null if there are no replicas
  std::unique_ptr<WarmUp> warm_up_;            // null if there is none
  std::unique_ptr<FrameGateway> http_frames_;  // null if there are none over HTTP
  std::unique_ptr<MetricsEndpoint> metrics_;   // null if there is none
  std::string metrics_address_;                // empty if there is none
  IdleWatch idle_{options_.stop_when_idle};    // of the sweeper
  std::optional<PeriodicThread> sweeper_;

  // How far the server has stopped. First of all, the calls end.
  std::atomic<bool> drained_{false};
  std::atomic<bool> shutting_down_{false};
  std::atomic<bool> calls_unwanted_{false};
  const AtEnd drain_{[this] { Drain(std::chrono::milliseconds(200)); }};
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  return Start(options, nullptr, nullptr);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      std::shared_ptr<const Resolver> resolver,
                                                      AdminControl* control) {
  auto impl = std::make_unique<Impl>(options, control);
  SD_RETURN_IF_ERROR(impl->Start(std::move(resolver)));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

const std::vector<std::string>& Server::addresses() const { return impl_->addresses(); }

std::shared_ptr<Authenticator> Server::authenticator() const { return impl_->authenticator(); }

std::shared_ptr<AuditLog> Server::audit_log() const { return impl_->audit(); }

const std::string& Server::metrics_address() const { return impl_->metrics_address(); }

std::shared_ptr<grpc::Channel> Server::InProcessChannel() { return impl_->InProcessChannel(); }

void Server::AnnounceShutdown() { impl_->AnnounceShutdown(); }

void Server::Drain(std::chrono::milliseconds grace_period) { impl_->Drain(grace_period); }

void Server::CancelCalls() { impl_->CancelCalls(); }

size_t Server::calls_in_flight() const { return impl_->calls_in_flight(); }

}  // namespace stagedoor::server
