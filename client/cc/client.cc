#include "client/cc/client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "client/cc/channel.h"
#include "client/cc/query_batch.h"
#include "client/cc/query_coalescer.h"
#include "client/cc/request_id.h"
#include "client/cc/request_text.h"
#include "client/cc/retry_policy.h"
#include "client/cc/routing_key.h"
#include "client/cc/routing_table.h"
#include "client/cc/stream_call.h"
#include "client/cc/unary_call.h"
#include "stagedoor/v1/admin.grpc.pb.h"
#include "stagedoor/v1/cache.grpc.pb.h"
#include "stagedoor/v1/geom.grpc.pb.h"
#include "stagedoor/v1/layers.grpc.pb.h"
#include "stagedoor/v1/lux.grpc.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/server.grpc.pb.h"
#include "stagedoor/v1/sessions.grpc.pb.h"
#include "stagedoor/v1/shade.grpc.pb.h"
#include "stagedoor/v1/skel.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

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

// What the routing of a request depends on: the root layer to be opened, or the handle of its
// stage.
template <typename Request>
std::string_view SubjectOf(const Request& request) {
  const std::string_view root_layer = RootLayerOf(request);
  return root_layer.empty() ? HandleOf(request) : root_layer;
}

// The messages of one asynchronous call.
template <typename Request, typename Response>
struct Exchange {
  // Calls `done` with the response, or why there is none.
  void End(const absl::Status& status, const Client::Callback<Response>& done) {
    if (status.ok()) {
      done(std::move(response));
    } else {
      done(status);
    }
  }

  Request request;
  Response response;
};

}  // namespace

class Client::Impl final : private QueryCoalescer::Transport {
 public:
  // `connects`: whether the channel is one to the address of the options.
  Impl(const std::shared_ptr<grpc::Channel>& channel, const ClientOptions& options,
       RetryClock& clock, bool connects)
      : state(options, clock, connects),
        Stages(v1::StagesService::NewStub(channel)),
        Sessions(v1::SessionsService::NewStub(channel)),
        Query(v1::QueryService::NewStub(channel)),
        Layers(v1::LayersService::NewStub(channel)),
        Geom(v1::GeomService::NewStub(channel)),
        Shade(v1::ShadeService::NewStub(channel)),
        Lux(v1::LuxService::NewStub(channel)),
        Skel(v1::SkelService::NewStub(channel)),
        Cache(v1::CacheService::NewStub(channel)),
        Server(v1::ServerService::NewStub(channel)),
        Admin(v1::AdminService::NewStub(channel)) {
    if (!options.coalescing.enabled) return;
    Transport& transport = *this;
    coalescer_ =
        std::make_shared<QueryCoalescer>(options.coalescing, options.timeout, transport, clock);
  }

  // Adds the routing key of the stage that a request is about to its metadata, if that is wanted.
  template <typename Request>
  void Route(const Request& request, grpc::ClientContext* context) const {
    if (!state.options.send_routing_keys) return;
    const std::string_view subject = SubjectOf(request);
    if (subject.empty()) return;
    const std::string key =
        RootLayerOf(request).empty() ? routing.Find(subject) : RoutingKeyOf(subject);
    if (!key.empty()) context->AddMetadata(RoutingTable::kMetadataKey, key);
  }

  // Takes note of the handles that calls grant and end. `subject` is that of the request.
  template <typename Request, typename Response>
  void Learn(std::string_view subject, const absl::StatusOr<Response>& response) {
    if (!state.options.send_routing_keys) return;
    if constexpr (std::is_same_v<Request, v1::OpenStageRequest>) {
      if (response.ok()) routing.Add(response->handle(), RoutingKeyOf(subject));
    } else if constexpr (std::is_same_v<Request, v1::CloseStageRequest>) {
      routing.Remove(std::string(subject));
    }
  }

  // A callback that learns from the response before it calls `callback`.
  template <typename Request, typename Response>
  Callback<Response> LearnBefore(std::string_view subject, Callback<Response> callback) {
    if constexpr (std::is_same_v<Request, v1::OpenStageRequest> ||
                  std::is_same_v<Request, v1::CloseStageRequest>) {
      return [this, subject = std::string(subject),
              callback = std::move(callback)](absl::StatusOr<Response> response) {
        Learn<Request>(subject, response);
        callback(std::move(response));
      };
    } else {
      return callback;
    }
  }

  // Makes the call if it may travel with others; else returns nullopt or false.
  template <typename Request, typename Response>
  std::optional<absl::StatusOr<Response>> RunCoalesced(const Request& request,
                                                       const CallOptions& call) {
    if constexpr (kCoalesced<Request>) {
      if (MayTravelTogether(request, call)) return coalescer_->Run(request, call);
    }
    return std::nullopt;
  }
  template <typename Request, typename Response>
  bool StartCoalesced(const Request& request, const Callback<Response>& callback,
                      const CallOptions& call) {
    if constexpr (kCoalesced<Request>) {
      if (MayTravelTogether(request, call)) {
        coalescer_->Start(request, call, callback);
        return true;
      }
    }
    return false;
  }

  CallState state;
  RoutingTable routing;
  // Named after the services, because client_methods.inc refers to them by these names.
  const std::unique_ptr<v1::StagesService::Stub> Stages;
  const std::unique_ptr<v1::SessionsService::Stub> Sessions;
  const std::unique_ptr<v1::QueryService::Stub> Query;
  const std::unique_ptr<v1::LayersService::Stub> Layers;
  const std::unique_ptr<v1::GeomService::Stub> Geom;
  const std::unique_ptr<v1::ShadeService::Stub> Shade;
  const std::unique_ptr<v1::LuxService::Stub> Lux;
  const std::unique_ptr<v1::SkelService::Stub> Skel;
  const std::unique_ptr<v1::CacheService::Stub> Cache;
  const std::unique_ptr<v1::ServerService::Stub> Server;
  const std::unique_ptr<v1::AdminService::Stub> Admin;

 private:
  absl::StatusOr<v1::BatchGetValuesResponse> Call(const v1::BatchGetValuesRequest& request,
                                                  const CallOptions& call) override {
    v1::BatchGetValuesResponse received;
    absl::Status status =
        RunUnaryCall(state, /*retryable=*/true, call, [&](grpc::ClientContext* context) {
          Route(request, context);
          return Query->BatchGetValues(context, request, &received);
        });
    if (!status.ok()) return status;
    return received;
  }
  void CallAsync(const v1::BatchGetValuesRequest& request, const CallOptions& call,
                 Callback<v1::BatchGetValuesResponse> done) override {
    using Messages = Exchange<v1::BatchGetValuesRequest, v1::BatchGetValuesResponse>;
    const auto exchange = std::make_shared<Messages>(Messages{request, {}});
    AsyncUnaryCall::Run(
        state, /*retryable=*/true, call,
        [this, exchange](grpc::ClientContext* context, std::function<void(grpc::Status)> ended) {
          Route(exchange->request, context);
          Query->async()->BatchGetValues(context, &exchange->request, &exchange->response,
                                         std::move(ended));
        },
        [exchange, done = std::move(done)](const absl::Status& status) {
          exchange->End(status, done);
        });
  }
  bool MayTravelTogether(const v1::BatchGetValuesRequest& request, const CallOptions& call) const {
    return coalescer_ != nullptr && call.metadata.empty() && IsSmallQuery(request);
  }
  void Begin() override { state.Begin(); }
  void End() override { state.End(); }

  std::shared_ptr<QueryCoalescer> coalescer_;  // null if queries travel by themselves
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

#define UNARY(service, method)                                                                     \
  absl::StatusOr<v1::method##Response> Client::method(const v1::method##Request& request,          \
                                                      const CallOptions& call) {                   \
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return wrong;                        \
    auto shared = impl_->RunCoalesced<v1::method##Request, v1::method##Response>(request, call);   \
    if (shared.has_value()) return *std::move(shared);                                             \
    const auto identified = WithRequestId(request);                                                \
    const v1::method##Request& sent = identified ? *identified : request;                          \
    absl::StatusOr<v1::method##Response> response((v1::method##Response()));                       \
    absl::Status status = RunUnaryCall(impl_->state, kRetryable<v1::method##Request>, call,        \
                                       [&](grpc::ClientContext* context) {                         \
                                         impl_->Route(sent, context);                              \
                                         return impl_->service->method(context, sent, &*response); \
                                       });                                                         \
    if (!status.ok()) response = std::move(status);                                                \
    impl_->Learn<v1::method##Request>(SubjectOf(request), response);                               \
    return response;                                                                               \
  }                                                                                                \
  void Client::method##Async(const v1::method##Request& request,                                   \
                             Callback<v1::method##Response> callback, const CallOptions& call) {   \
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return callback(std::move(wrong));   \
    if (impl_->StartCoalesced(request, callback, call)) return;                                    \
    using Messages = Exchange<v1::method##Request, v1::method##Response>;                          \
    const auto exchange =                                                                          \
        std::make_shared<Messages>(Messages{WithRequestId(request).value_or(request), {}});        \
    AsyncUnaryCall::Run(                                                                           \
        impl_->state, kRetryable<v1::method##Request>, call,                                       \
        [impl = impl_.get(), exchange](grpc::ClientContext* context,                               \
                                       std::function<void(grpc::Status)> done) {                   \
          impl->Route(exchange->request, context);                                                 \
          impl->service->async()->method(context, &exchange->request, &exchange->response,         \
                                         std::move(done));                                         \
        },                                                                                         \
        [exchange,                                                                                 \
         done = impl_->LearnBefore<v1::method##Request>(SubjectOf(request), std::move(callback))]( \
            const absl::Status& status) { exchange->End(status, done); });                         \
  }

#define STREAM(service, method)                                                                   \
  absl::Status Client::method(const v1::method##Request& request,                                 \
                              const Sink<v1::method##Response>& sink) {                           \
    return method(request, sink, CallOptions());                                                  \
  }                                                                                               \
  absl::Status Client::method(const v1::method##Request& request,                                 \
                              const Sink<v1::method##Response>& sink, const CallOptions& call) {  \
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return wrong;                       \
    return RunStreamCall<v1::method##Response>(                                                   \
        impl_->state, call,                                                                       \
        [&](grpc::ClientContext* context) {                                                       \
          impl_->Route(request, context);                                                         \
          return impl_->service->method(context, request);                                        \
        },                                                                                        \
        sink);                                                                                    \
  }                                                                                               \
  void Client::method##Async(const v1::method##Request& request, Sink<v1::method##Response> sink, \
                             Done done, const CallOptions& call) {                                \
    if (absl::Status wrong = CheckText(request); !wrong.ok()) return done(std::move(wrong));      \
    AsyncStreamCall<v1::method##Request, v1::method##Response>::Run(                              \
        impl_->state, call,                                                                       \
        [impl = impl_.get()](grpc::ClientContext* context, const v1::method##Request* sent,       \
                             grpc::ClientReadReactor<v1::method##Response>* reader) {             \
          impl->Route(*sent, context);                                                            \
          impl->service->async()->method(context, sent, reader);                                  \
        },                                                                                        \
        request, std::move(sink), std::move(done));                                               \
  }

#include "client/cc/client_methods.inc"

}  // namespace stagedoor
