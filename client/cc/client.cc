#include "client/cc/client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/in_flight_count.h"
#include "client/cc/api_channel.h"
#include "client/cc/channel.h"
#include "client/cc/query_batch.h"
#include "client/cc/query_coalescer.h"
#include "client/cc/query_route.h"
#include "client/cc/request_id.h"
#include "client/cc/request_text.h"
#include "client/cc/retry_policy.h"
#include "client/cc/routing_key.h"
#include "client/cc/routing_table.h"
#include "client/cc/stream_call.h"
#include "client/cc/stream_carrier.h"
#include "client/cc/stream_receiver.h"
#include "client/cc/unary_call.h"

namespace stagedoor {
namespace {

// Closing a stage twice is an error, so CloseStage is not repeated. If it fails, the lease expires
// by itself. A second Drain might reach the daemon that has replaced the first.
template <typename Request>
constexpr bool kRetryable =
    !std::is_same_v<Request, v1::CloseStageRequest> && !std::is_same_v<Request, v1::DrainRequest>;

// Whether small requests of a kind may travel together.
template <typename Request>
constexpr bool kCoalesced = std::is_same_v<Request, v1::BatchGetValuesRequest>;

// The part of a request that its routing depends on: the root layer that it opens, or else the
// handle of its stage. Views into the request.
struct RoutingSubject {
  template <typename Request>
  explicit RoutingSubject(const Request& request)
      : root_layer(RootLayerOf(request)), handle(HandleOf(request)) {}

  std::string_view root_layer;
  std::string_view handle;
};

// The messages of one asynchronous call.
template <typename Request, typename Response>
struct Exchange {
  Request request;
  Response response;
};

// How long a stream of query frames may take to begin; calls go on without it meanwhile.
constexpr std::chrono::seconds kStreamPatience{1};
// It lasts until one side ends it.
constexpr std::chrono::hours kStreamTimeout{24};

// A caller with a token is another one than the user of the process, which the query socket knows.
bool MayUseQuerySocket(const ClientOptions& options) {
  return options.query_socket && options.address.starts_with("unix:") &&
         options.security.token_file.empty();
}

// Stages that are routed by their keys may be at several daemons, a stream is at one.
bool MayUseQueryStream(const ClientOptions& options) {
  return options.query_stream && !options.send_routing_keys;
}

// The options of a stream. WatchStage lasts until one side ends it, so that the timeout of the
// client does not apply; the daemon ends it after --max-call-seconds.
template <typename Request>
CallOptions ForStream(CallOptions options) {
  if constexpr (std::is_same_v<Request, v1::WatchStageRequest>) {
    if (!options.timeout) options.timeout = std::chrono::hours(24);
  }
  return options;
}

}  // namespace

class Client::Impl final : private QueryCoalescer::Transport, private QueryRoute::Transport {
 public:
  // `connects`: whether the channel is one to the address of the options.
  Impl(const std::shared_ptr<grpc::Channel>& channel, const ClientOptions& options,
       RetryClock& clock, bool connects)
      : state(options, clock, connects), raw_channel_(channel), channel_(channel) {
    const QueryRoute::Options route{
        .socket = connects && MayUseQuerySocket(options),
        .stream = connects && MayUseQueryStream(options),
        .timeout = options.timeout,
        .max_message_bytes = static_cast<size_t>(options.max_message_bytes)};
    if (route.socket || route.stream) {
      QueryRoute::Transport& transport = *this;
      route_ = std::make_unique<QueryRoute>(transport, route);
    }
    if (!options.coalescing.enabled) return;
    QueryCoalescer::Transport& transport = *this;
    coalescer_ =
        std::make_shared<QueryCoalescer>(options.coalescing, options.timeout, transport, clock);
  }

  ~Impl() override {
    route_ = nullptr;
    streams_.WaitForNone();
  }

  template <typename Response, typename Request>
  absl::StatusOr<Response> Run(ApiMethod method, const Request& request, const CallOptions& call) {
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return wrong;
    if constexpr (kCoalesced<Request>) {
      if (route_ != nullptr) {
        auto reply = route_->Run(request, call);
        if (reply.has_value()) return *std::move(reply);
      }
    }
    return RunOverGrpc<Response>(method, request, call);
  }

  template <typename Response, typename Request>
  absl::StatusOr<Response> RunOverGrpc(ApiMethod method, const Request& request,
                                       const CallOptions& call) {
    if constexpr (kCoalesced<Request>) {
      if (MayTravelTogether(request, call)) return coalescer_->Run(request, call);
      grpc_queries_.fetch_add(1, std::memory_order_relaxed);
    }
    const std::optional<Request> identified = WithRequestId(request);
    absl::StatusOr<Response> response((Response()));
    absl::Status status = RunUnary(method, identified ? *identified : request,
                                   RoutingSubject(request), kRetryable<Request>, call, &*response);
    if (!status.ok()) response = std::move(status);
    Learn(request, response);
    return response;
  }

  absl::StatusOr<ValueBatch> ReadValues(const v1::BatchGetValuesRequest& request,
                                        const CallOptions& call) {
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return wrong;
    if (route_ != nullptr) {
      auto answer = route_->RunShared(request, call);
      if (answer.has_value() && !answer->ok()) return answer->status();
      if (answer.has_value()) {
        return ValueBatch(std::move((*answer)->values), std::move((*answer)->arrays));
      }
    }
    auto reply = RunOverGrpc<v1::BatchGetValuesResponse>(ApiMethod::kBatchGetValues, request, call);
    if (!reply.ok()) return reply.status();
    return ValueBatch(*std::move(reply));
  }

  template <typename Response, typename Request>
  void Start(ApiMethod method, const Request& request, Callback<Response> callback,
             const CallOptions& call) {
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return callback(std::move(wrong));
    if constexpr (kCoalesced<Request>) {
      if (route_ != nullptr && route_->Start(request, call, callback)) return;
      if (MayTravelTogether(request, call)) {
        return coalescer_->Start(request, call, std::move(callback));
      }
      grpc_queries_.fetch_add(1, std::memory_order_relaxed);
    }
    using Messages = Exchange<Request, Response>;
    const auto exchange =
        std::make_shared<Messages>(Messages{WithRequestId(request).value_or(request), {}});
    auto done = [this, exchange, callback = std::move(callback)](const absl::Status& status) {
      absl::StatusOr<Response> response =
          status.ok() ? absl::StatusOr<Response>(std::move(exchange->response)) : status;
      Learn(exchange->request, response);
      callback(std::move(response));
    };
    StartUnary(method, {exchange, &exchange->request}, RoutingSubject(exchange->request),
               kRetryable<Request>, call, &exchange->response, std::move(done));
  }

  template <typename Response, typename Request>
  absl::Status RunStream(ApiMethod method, const Request& request, const Sink<Response>& sink,
                         const CallOptions& call) {
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return wrong;
    return RunStreamCall(
        state, ForStream<Request>(call),
        [&](grpc::ClientContext* context) {
          Route(RoutingSubject(request), context);
          return channel_.Stream(method, context, request);
        },
        [&] { return std::make_unique<SinkReceiver<Response>>(state.options, sink); });
  }

  template <typename Response, typename Request>
  void StartStream(ApiMethod method, const Request& request, Sink<Response> sink, Done done,
                   const CallOptions& call) {
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return done(std::move(wrong));
    AsyncStreamCall::Run(
        state, ForStream<Request>(call),
        [this, method, sent = std::make_shared<const Request>(request)](
            grpc::ClientContext* context, AsyncStreamCall::Reactor* reader) {
          Route(RoutingSubject(*sent), context);
          channel_.StreamAsync(method, context, sent.get(), reader);
        },
        [this, sink = std::move(sink)] {
          return std::make_unique<SinkReceiver<Response>>(state.options, sink);
        },
        std::move(done));
  }

  ClientStatistics Statistics() const {
    ClientStatistics statistics;
    statistics.grpc_queries = grpc_queries_.load(std::memory_order_relaxed);
    if (route_ == nullptr) return statistics;
    using Kind = FrameCarrier::Kind;
    const std::optional<Kind> carrier = route_->carrier();
    statistics.query_socket = carrier == Kind::kSocket;
    statistics.query_stream = carrier == Kind::kStream;
    statistics.socket_queries = route_->answered(Kind::kSocket);
    statistics.stream_queries = route_->answered(Kind::kStream);
    return statistics;
  }

  CallState state;

 private:
  using Message = ApiChannel::Message;

  absl::Status RunUnary(ApiMethod method, const Message& request, const RoutingSubject& subject,
                        bool retryable, const CallOptions& call, Message* response) {
    return RunUnaryCall(state, retryable, call, [&](grpc::ClientContext* context) {
      Route(subject, context);
      return channel_.Call(method, context, request, response);
    });
  }
  // `subject` consists of views into the request.
  void StartUnary(ApiMethod method, std::shared_ptr<const Message> request,
                  const RoutingSubject& subject, bool retryable, const CallOptions& call,
                  Message* response, AsyncUnaryCall::Done done) {
    AsyncUnaryCall::Run(
        state, retryable, call,
        [this, method, request = std::move(request), subject, response](
            grpc::ClientContext* context, std::function<void(grpc::Status)> ended) {
          Route(subject, context);
          channel_.CallAsync(method, context, request.get(), response, std::move(ended));
        },
        std::move(done));
  }

  // Adds the routing key of the stage that a request is about to its metadata, if that is wanted.
  void Route(const RoutingSubject& subject, grpc::ClientContext* context) const {
    if (!state.options.send_routing_keys) return;
    const std::string key = subject.root_layer.empty() ? routing_.Find(subject.handle)
                                                       : RoutingKeyOf(subject.root_layer);
    if (!key.empty()) context->AddMetadata(RoutingTable::kMetadataKey, key);
  }

  // Takes note of the handles that calls grant and end.
  template <typename Request, typename Response>
  void Learn(const Request& request, const absl::StatusOr<Response>& response) {
    if (!state.options.send_routing_keys) return;
    if constexpr (std::is_same_v<Request, v1::OpenStageRequest>) {
      if (response.ok()) routing_.Add(response->handle(), RoutingKeyOf(request.root_layer()));
    } else if constexpr (std::is_same_v<Request, v1::CloseStageRequest>) {
      routing_.Remove(std::string(HandleOf(request)));
    }
  }

  absl::StatusOr<v1::BatchGetValuesResponse> Call(const v1::BatchGetValuesRequest& request,
                                                  const CallOptions& call) override {
    grpc_queries_.fetch_add(1, std::memory_order_relaxed);
    absl::StatusOr<v1::BatchGetValuesResponse> received((v1::BatchGetValuesResponse()));
    absl::Status status = RunUnary(ApiMethod::kBatchGetValues, request, RoutingSubject(request),
                                   /*retryable=*/true, call, &*received);
    if (!status.ok()) received = std::move(status);
    return received;
  }
  void CallAsync(const v1::BatchGetValuesRequest& request, const CallOptions& call,
                 Callback<v1::BatchGetValuesResponse> done) override {
    grpc_queries_.fetch_add(1, std::memory_order_relaxed);
    using Messages = Exchange<v1::BatchGetValuesRequest, v1::BatchGetValuesResponse>;
    const auto exchange = std::make_shared<Messages>(Messages{request, {}});
    StartUnary(ApiMethod::kBatchGetValues, {exchange, &exchange->request},
               RoutingSubject(exchange->request), /*retryable=*/true, call, &exchange->response,
               [exchange, done = std::move(done)](const absl::Status& status) {
                 if (!status.ok()) return done(status);
                 done(std::move(exchange->response));
               });
  }
  void AskCapabilities(std::function<void(QueryRoute::Capabilities)> done) override {
    using Messages = Exchange<v1::GetCapabilitiesRequest, v1::GetCapabilitiesResponse>;
    const auto exchange = std::make_shared<Messages>();
    StartUnary(ApiMethod::kGetCapabilities, {exchange, &exchange->request},
               RoutingSubject(exchange->request), /*retryable=*/true, CallOptions(),
               &exchange->response, [exchange, done = std::move(done)](const absl::Status& status) {
                 if (!status.ok()) return done(status);
                 done(std::move(exchange->response));
               });
  }
  void OpenStream(std::function<void(QueryRoute::Carrier)> done) override {
    const CallOptions call{.timeout = kStreamTimeout};
    auto context = std::make_unique<grpc::ClientContext>();
    state.Prepare(state.Policy(call), call, context.get());
    state.Begin();
    streams_.Begin();
    const std::shared_ptr<void> counted(nullptr, [this](void*) { streams_.End(); });
    StreamCarrier::Open(raw_channel_, std::move(context), state.clock, kStreamPatience, counted,
                        [this, done = std::move(done)](QueryRoute::Carrier carrier) {
                          done(std::move(carrier));
                          state.End();
                        });
  }
  bool MayTravelTogether(const v1::BatchGetValuesRequest& request, const CallOptions& call) const {
    return coalescer_ != nullptr && call.metadata.empty() && IsSmallQuery(request);
  }
  void Begin() override { state.Begin(); }
  void End() override { state.End(); }

  const std::shared_ptr<grpc::Channel> raw_channel_;
  const ApiChannel channel_;
  RoutingTable routing_;
  std::atomic<uint64_t> grpc_queries_{0};
  std::shared_ptr<QueryCoalescer> coalescer_;  // null if queries travel by themselves
  std::unique_ptr<QueryRoute> route_;          // null if they use gRPC only
  InFlightCount streams_;                      // of query frames, which use the channel
};

std::unique_ptr<Client> Client::Connect(const ClientOptions& options) {
  return std::unique_ptr<Client>(new Client(std::make_unique<Impl>(
      MakeChannel(options), options, RetryClock::Default(), /*connects=*/true)));
}

std::unique_ptr<Client> Client::FromChannel(std::shared_ptr<grpc::Channel> channel,
                                            const ClientOptions& options) {
  return FromChannel(std::move(channel), options, RetryClock::Default());
}

std::unique_ptr<Client> Client::FromChannel(std::shared_ptr<grpc::Channel> channel,
                                            const ClientOptions& options, RetryClock& clock) {
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Impl>(std::move(channel), options, clock, /*connects=*/false)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() { impl_->state.WaitUntilIdle(); }

ClientStatistics Client::statistics() const { return impl_->Statistics(); }

absl::StatusOr<ValueBatch> Client::ReadValues(const v1::BatchGetValuesRequest& request,
                                              const CallOptions& call) {
  return impl_->ReadValues(request, call);
}

#define UNARY(service, method)                                                                    \
  absl::StatusOr<v1::method##Response> Client::method(const v1::method##Request& request,         \
                                                      const CallOptions& call) {                  \
    return impl_->Run<v1::method##Response>(ApiMethod::k##method, request, call);                 \
  }                                                                                               \
  void Client::method##Async(const v1::method##Request& request,                                  \
                             Callback<v1::method##Response> callback, const CallOptions& call) {  \
    impl_->Start<v1::method##Response>(ApiMethod::k##method, request, std::move(callback), call); \
  }

#define STREAM(service, method)                                                                   \
  absl::Status Client::method(const v1::method##Request& request,                                 \
                              const Sink<v1::method##Response>& sink) {                           \
    return method(request, sink, CallOptions());                                                  \
  }                                                                                               \
  absl::Status Client::method(const v1::method##Request& request,                                 \
                              const Sink<v1::method##Response>& sink, const CallOptions& call) {  \
    return impl_->RunStream<v1::method##Response>(ApiMethod::k##method, request, sink, call);     \
  }                                                                                               \
  void Client::method##Async(const v1::method##Request& request, Sink<v1::method##Response> sink, \
                             Done done, const CallOptions& call) {                                \
    impl_->StartStream<v1::method##Response>(ApiMethod::k##method, request, std::move(sink),      \
                                             std::move(done), call);                              \
  }

#include "client/cc/client_methods.inc"

#undef STREAM
#undef UNARY

}  // namespace stagedoor
