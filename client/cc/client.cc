#include "client/cc/client.h"

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "client/cc/client_status.h"
#include "stagedoor/v1/cache.grpc.pb.h"
#include "stagedoor/v1/geom.grpc.pb.h"
#include "stagedoor/v1/layers.grpc.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/skel.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"
#include "stagedoor/v1/stats.grpc.pb.h"

namespace stagedoor {
namespace {

using SystemClock = std::chrono::system_clock;

// The pauses between attempts: doubling, up to two seconds, jittered so that a farm's nodes do not
// come back all at once.
class Backoff {
 public:
  explicit Backoff(const ClientOptions& options)
      : left_(options.max_attempts - 1), pause_(options.first_pause) {}

  // Whether to try again after `status`, before `deadline`.
  bool Again(const grpc::Status& status, SystemClock::time_point deadline) const {
    return left_ > 0 && status.error_code() == grpc::StatusCode::UNAVAILABLE &&
           SystemClock::now() + pause_ < deadline;
  }
  std::chrono::milliseconds NextPause() {
    thread_local std::minstd_rand random{std::random_device{}()};
    --left_;
    const auto pause = pause_;
    pause_ = std::min(pause_ * 2, std::chrono::milliseconds(2000));
    return std::chrono::milliseconds(pause.count() / 2 + random() % (pause.count() / 2 + 1));
  }

 private:
  int left_;
  std::chrono::milliseconds pause_;
};

// Counts calls in flight so that the client can wait for them.
class InFlight {
 public:
  void Begin() {
    MutexLock lock(mu_);
    ++count_;
  }
  void End() {
    MutexLock lock(mu_);
    if (--count_ == 0) idle_.NotifyAll();
  }
  void WaitUntilIdle() {
    MutexLock lock(mu_);
    while (count_ != 0) idle_.Wait(mu_);
  }

 private:
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

  static void Run(const ClientOptions& options, InFlight& in_flight, Start start,
                  const Request& request, Client::Callback<Response> callback) {
    in_flight.Begin();
    (new UnaryCall(options, in_flight, std::move(start), request, std::move(callback)))->Attempt();
  }

 private:
  UnaryCall(const ClientOptions& options, InFlight& in_flight, Start start, const Request& request,
            Client::Callback<Response> callback)
      : deadline_(SystemClock::now() + options.timeout),
        backoff_(options),
        in_flight_(in_flight),
        start_(std::move(start)),
        request_(request),
        callback_(std::move(callback)) {}

  void Attempt() {
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(deadline_);
    response_.Clear();
    start_(context_.get(), &request_, &response_, [this](grpc::Status status) { Ended(status); });
  }

  void Ended(const grpc::Status& status) {
    if (backoff_.Again(status, deadline_)) {
      alarm_.Set(SystemClock::now() + backoff_.NextPause(), [this](bool) { Attempt(); });
      return;
    }
    if (status.ok()) {
      callback_(std::move(response_));
    } else {
      callback_(FromGrpcStatus(status));
    }
    InFlight& in_flight = in_flight_;
    delete this;
    in_flight.End();
  }

  const SystemClock::time_point deadline_;
  Backoff backoff_;
  InFlight& in_flight_;
  const Start start_;
  const Request request_;
  const Client::Callback<Response> callback_;
  std::unique_ptr<grpc::ClientContext> context_;
  Response response_;
  grpc::Alarm alarm_;
};

// A unary call on the calling thread, which itself waits at the socket: no other thread has to be
// woken for the answer.
template <typename Response, typename Start>
absl::StatusOr<Response> RunBlocking(const ClientOptions& options, const Start& start) {
  const SystemClock::time_point deadline = SystemClock::now() + options.timeout;
  Backoff backoff(options);
  for (;;) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    Response response;
    const grpc::Status status = start(&context, &response);
    if (status.ok()) return response;
    if (!backoff.Again(status, deadline)) return FromGrpcStatus(status);
    std::this_thread::sleep_for(backoff.NextPause());
  }
}

// A streaming call on the calling thread. It is tried again only if nothing has arrived yet.
template <typename Request, typename Response, typename Start>
absl::Status RunStream(const ClientOptions& options, const Start& start, const Request& request,
                       const Client::Sink<Response>& sink) {
  const SystemClock::time_point deadline = SystemClock::now() + options.timeout;
  Backoff backoff(options);
  for (;;) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
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
    if (received || !backoff.Again(status, deadline)) return FromGrpcStatus(status);
    std::this_thread::sleep_for(backoff.NextPause());
  }
}

}  // namespace

class Client::Impl {
 public:
  Impl(const std::shared_ptr<grpc::Channel>& channel, const ClientOptions& client_options)
      : options(client_options),
        Stages(v1::StagesService::NewStub(channel)),
        Query(v1::QueryService::NewStub(channel)),
        Layers(v1::LayersService::NewStub(channel)),
        Geom(v1::GeomService::NewStub(channel)),
        Skel(v1::SkelService::NewStub(channel)),
        Cache(v1::CacheService::NewStub(channel)),
        Stats(v1::StatsService::NewStub(channel)) {}

  const ClientOptions options;
  InFlight in_flight;
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
  return Over(
      grpc::CreateCustomChannel(options.address, grpc::InsecureChannelCredentials(), arguments),
      options);
}

std::unique_ptr<Client> Client::Over(std::shared_ptr<grpc::Channel> channel,
                                     const ClientOptions& options) {
  return std::unique_ptr<Client>(new Client(std::make_unique<Impl>(std::move(channel), options)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() { impl_->in_flight.WaitUntilIdle(); }

#define X(service, method)                                                                  \
  void Client::method##Async(const v1::method##Request& request,                            \
                             Callback<v1::method##Response> callback) {                     \
    using Call = UnaryCall<v1::method##Request, v1::method##Response>;                      \
    Call::Run(                                                                              \
        impl_->options, impl_->in_flight,                                                   \
        [stub = impl_->service.get()](                                                      \
            grpc::ClientContext* context, const v1::method##Request* sent,                  \
            v1::method##Response* received, std::function<void(grpc::Status)> done) {       \
          stub->async()->method(context, sent, received, std::move(done));                  \
        },                                                                                  \
        request, std::move(callback));                                                      \
  }                                                                                         \
  absl::StatusOr<v1::method##Response> Client::method(const v1::method##Request& request) { \
    return RunBlocking<v1::method##Response>(                                               \
        impl_->options, [&](grpc::ClientContext* context, v1::method##Response* received) { \
          return impl_->service->method(context, request, received);                        \
        });                                                                                 \
  }
STAGEDOOR_UNARY_METHODS(X)
#undef X

#define X(service, method)                                                   \
  absl::Status Client::method(const v1::method##Request& request,            \
                              const Sink<v1::method##Response>& sink) {      \
    return RunStream<v1::method##Request, v1::method##Response>(             \
        impl_->options,                                                      \
        [&](grpc::ClientContext* context, const v1::method##Request& sent) { \
          return impl_->service->method(context, sent);                      \
        },                                                                   \
        request, sink);                                                      \
  }
STAGEDOOR_STREAM_METHODS(X)
#undef X

}  // namespace stagedoor
