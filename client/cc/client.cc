#include "client/cc/client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <atomic>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "client/cc/client_status.h"
#include "client/cc/retry_policy.h"
#include "stagedoor/v1/cache.grpc.pb.h"
#include "stagedoor/v1/geom.grpc.pb.h"
#include "stagedoor/v1/layers.grpc.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/skel.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"
#include "stagedoor/v1/stats.grpc.pb.h"

namespace stagedoor {
namespace {

uint32_t Random() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return static_cast<uint32_t>(random());
}

// What the calls of one client share. Thread-safe.
class Shared {
 public:
  Shared(const ClientOptions& client_options, RetryClock& retry_clock)
      : options(client_options), clock(retry_clock) {}

  void Begin() {
    MutexLock lock(mu_);
    ++count_;
  }
  void End() {
    MutexLock lock(mu_);
    if (--count_ == 0) idle_.NotifyAll();
  }
  void WaitUntilIdle() {
    closing_ = true;
    MutexLock lock(mu_);
    while (count_ != 0) idle_.Wait(mu_);
  }

  // The pause before another attempt of a call that ended with `status`.
  std::optional<std::chrono::milliseconds> Next(RetryPolicy& policy, const grpc::Status& status) {
    if (!IsConnectionFailure(status)) daemon_known_ = true;
    if (status.ok() || closing_) return std::nullopt;
    return policy.Next(status, daemon_known_, clock.Now(), Random());
  }

  // What to say of a call that failed for good.
  absl::Status Failure(const grpc::Status& status) const {
    absl::Status failure = FromGrpcStatus(status);
    if (!IsConnectionFailure(status) || daemon_known_ || options.address.empty()) return failure;
    return Annotate(failure, Concat("no daemon answers at ", options.address));
  }

  // gRPC's clock is the real one.
  void SetDeadline(const RetryPolicy& policy, grpc::ClientContext* context) {
    context->set_deadline(std::chrono::system_clock::now() + (policy.deadline() - clock.Now()));
  }

  const ClientOptions options;
  RetryClock& clock;

 private:
  std::atomic<bool> daemon_known_{false};
  std::atomic<bool> closing_{false};
  Mutex mu_;
  CondVar idle_;
  size_t count_ ABSL_GUARDED_BY(mu_) = 0;
};

// One asynchronous unary call over all its attempts. Owns itself.
template <typename Request, typename Response>
class UnaryCall {
 public:
  using Start = std::function<void(grpc::ClientContext*, const Request*, Response*,
                                   std::function<void(grpc::Status)>)>;

  static void Run(Shared& shared, bool repeatable, Start start, const Request& request,
                  Client::Callback<Response> callback) {
    shared.Begin();
    (new UnaryCall(shared, repeatable, std::move(start), request, std::move(callback)))->Attempt();
  }

 private:
  UnaryCall(Shared& shared, bool repeatable, Start start, const Request& request,
            Client::Callback<Response> callback)
      : shared_(shared),
        repeatable_(repeatable),
        policy_(shared.options, shared.clock.Now()),
        start_(std::move(start)),
        request_(request),
        callback_(std::move(callback)) {}

  void Attempt() {
    context_ = std::make_unique<grpc::ClientContext>();
    shared_.SetDeadline(policy_, context_.get());
    response_.Clear();
    start_(context_.get(), &request_, &response_, [this](grpc::Status status) { Ended(status); });
  }

  void Ended(const grpc::Status& status) {
    const auto pause = shared_.Next(policy_, status);
    if (pause.has_value() && repeatable_) {
      return shared_.clock.After(*pause, [this] { Attempt(); });
    }
    if (status.ok()) {
      callback_(std::move(response_));
    } else {
      callback_(shared_.Failure(status));
    }
    Shared& shared = shared_;
    delete this;
    shared.End();
  }

  Shared& shared_;
  const bool repeatable_;
  RetryPolicy policy_;
  const Start start_;
  const Request request_;
  const Client::Callback<Response> callback_;
  std::unique_ptr<grpc::ClientContext> context_;
  Response response_;
};

// A unary call on the calling thread, which itself waits at the socket: no other thread has to be
// woken for the answer.
template <typename Response, typename Start>
absl::StatusOr<Response> RunBlocking(Shared& shared, bool repeatable, const Start& start) {
  RetryPolicy policy(shared.options, shared.clock.Now());
  for (;;) {
    grpc::ClientContext context;
    shared.SetDeadline(policy, &context);
    Response response;
    const grpc::Status status = start(&context, &response);
    const auto pause = shared.Next(policy, status);
    if (status.ok()) return response;
    if (!pause.has_value() || !repeatable) return shared.Failure(status);
    shared.clock.Sleep(*pause);
  }
}

// A streaming call on the calling thread. It is tried again only if nothing has arrived yet.
template <typename Request, typename Response, typename Start>
absl::Status RunStream(Shared& shared, const Start& start, const Request& request,
                       const Client::Sink<Response>& sink) {
  RetryPolicy policy(shared.options, shared.clock.Now());
  for (;;) {
    grpc::ClientContext context;
    shared.SetDeadline(policy, &context);
    auto reader = start(&context, request);
    Response response;
    bool received = false;
    absl::Status wanted;
    while (wanted.ok() && reader->Read(&response)) {
      received = true;
      wanted = sink(response);
    }
    if (!wanted.ok()) context.TryCancel();
    const grpc::Status status = reader->Finish();
    if (!wanted.ok()) return wanted;
    const auto pause = shared.Next(policy, status);
    if (status.ok()) return absl::OkStatus();
    if (received || !pause.has_value()) return shared.Failure(status);
    shared.clock.Sleep(*pause);
  }
}

// Closing twice fails where once did not; a lease that is not given back runs out by itself.
template <typename Request>
constexpr bool kRepeatable = !std::is_same_v<Request, v1::CloseStageRequest>;

}  // namespace

class Client::Impl {
 public:
  Impl(const std::shared_ptr<grpc::Channel>& channel, const ClientOptions& options,
       RetryClock& clock)
      : shared(options, clock),
        Stages(v1::StagesService::NewStub(channel)),
        Query(v1::QueryService::NewStub(channel)),
        Layers(v1::LayersService::NewStub(channel)),
        Geom(v1::GeomService::NewStub(channel)),
        Skel(v1::SkelService::NewStub(channel)),
        Cache(v1::CacheService::NewStub(channel)),
        Stats(v1::StatsService::NewStub(channel)) {}

  Shared shared;
  // Named as the services, for the method macros.
  const std::unique_ptr<v1::StagesService::Stub> Stages;
  const std::unique_ptr<v1::QueryService::Stub> Query;
  const std::unique_ptr<v1::LayersService::Stub> Layers;
  const std::unique_ptr<v1::GeomService::Stub> Geom;
  const std::unique_ptr<v1::SkelService::Stub> Skel;
  const std::unique_ptr<v1::CacheService::Stub> Cache;
  const std::unique_ptr<v1::StatsService::Stub> Stats;
};

std::unique_ptr<Client> Client::Connect(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  // gRPC's own pauses between connections, which would grow to two minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return Over(
      grpc::CreateCustomChannel(options.address, grpc::InsecureChannelCredentials(), arguments),
      options);
}

std::unique_ptr<Client> Client::Over(std::shared_ptr<grpc::Channel> channel,
                                     const ClientOptions& options) {
  return Over(std::move(channel), options, RetryClock::Default());
}

std::unique_ptr<Client> Client::Over(std::shared_ptr<grpc::Channel> channel,
                                     const ClientOptions& options, RetryClock& clock) {
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Impl>(std::move(channel), options, clock)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() { impl_->shared.WaitUntilIdle(); }

#define X(service, method)                                                                  \
  void Client::method##Async(const v1::method##Request& request,                            \
                             Callback<v1::method##Response> callback) {                     \
    using Call = UnaryCall<v1::method##Request, v1::method##Response>;                      \
    Call::Run(                                                                              \
        impl_->shared, kRepeatable<v1::method##Request>,                                    \
        [stub = impl_->service.get()](                                                      \
            grpc::ClientContext* context, const v1::method##Request* sent,                  \
            v1::method##Response* received, std::function<void(grpc::Status)> done) {       \
          stub->async()->method(context, sent, received, std::move(done));                  \
        },                                                                                  \
        request, std::move(callback));                                                      \
  }                                                                                         \
  absl::StatusOr<v1::method##Response> Client::method(const v1::method##Request& request) { \
    return RunBlocking<v1::method##Response>(                                               \
        impl_->shared, kRepeatable<v1::method##Request>,                                    \
        [&](grpc::ClientContext* context, v1::method##Response* received) {                 \
          return impl_->service->method(context, request, received);                        \
        });                                                                                 \
  }
STAGEDOOR_UNARY_METHODS(X)
#undef X

#define X(service, method)                                                   \
  absl::Status Client::method(const v1::method##Request& request,            \
                              const Sink<v1::method##Response>& sink) {      \
    return RunStream<v1::method##Request, v1::method##Response>(             \
        impl_->shared,                                                       \
        [&](grpc::ClientContext* context, const v1::method##Request& sent) { \
          return impl_->service->method(context, sent);                      \
        },                                                                   \
        request, sink);                                                      \
  }
STAGEDOOR_STREAM_METHODS(X)
#undef X

}  // namespace stagedoor
