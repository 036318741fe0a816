#ifndef STAGEDOOR_SERVER_SERVICES_SERVICE_METHODS_H_
#define STAGEDOOR_SERVER_SERVICES_SERVICE_METHODS_H_

#include "server/rpc/light_call.h"
#include "server/rpc/stream_call.h"
#include "server/rpc/unary_call.h"

// Methods of a gRPC service that hand their calls to the handler functions of the same name. The
// class has the members `runtime_` (CallRuntime&) and `state_` (ServerState&).

#define STAGEDOOR_UNARY_METHOD(service, method)                                        \
  STAGEDOOR_HANDLER(service, method)                                                   \
  grpc::ServerUnaryReactor* method(grpc::CallbackServerContext* context,               \
                                   const v1::method##Request* request,                 \
                                   v1::method##Response* response) override {          \
    using MethodCall = UnaryCall<v1::method##Request, v1::method##Response>;           \
    return MethodCall::Start(runtime_, method##_counters_, context, request, response, \
                             method##_handler_);                                       \
  }

// Where `IsLight(request)`, a call whose answer takes microseconds.
#define STAGEDOOR_LIGHT_METHOD(service, method)                                                \
  STAGEDOOR_HANDLER(service, method)                                                           \
  grpc::ServerUnaryReactor* method(grpc::CallbackServerContext* context,                       \
                                   const v1::method##Request* request,                         \
                                   v1::method##Response* response) override {                  \
    using Heavy = UnaryCall<v1::method##Request, v1::method##Response>;                        \
    using Light = LightCall<v1::method##Request, v1::method##Response>;                        \
    const auto start = IsLight(*request) ? Light::Start : Heavy::Start;                        \
    return start(runtime_, method##_counters_, context, request, response, method##_handler_); \
  }

#define STAGEDOOR_HANDLER(service, method)                                                        \
  MethodCounters& method##_counters_ = runtime_.CountersOf("stagedoor.v1." #service "/" #method); \
  const UnaryHandler<v1::method##Request, v1::method##Response> method##_handler_ =               \
      [this](RequestContext& call, const v1::method##Request& in, v1::method##Response* out) {    \
        return stagedoor::method(state_, call, in, out);                                          \
      };

#define STAGEDOOR_STREAM_METHOD(service, method)                                           \
  grpc::ServerWriteReactor<v1::method##Response>* method(                                  \
      grpc::CallbackServerContext* context, const v1::method##Request* request) override { \
    using MethodCall = StreamCall<v1::method##Request, v1::method##Response>;              \
    return MethodCall::Start(runtime_, method##_counters_, context, request,               \
                             [this](RequestContext& call, const v1::method##Request& in) { \
                               return stagedoor::method(state_, call, in);                 \
                             });                                                           \
  }                                                                                        \
  MethodCounters& method##_counters_ = runtime_.CountersOf("stagedoor.v1." #service "/" #method);

#endif  // STAGEDOOR_SERVER_SERVICES_SERVICE_METHODS_H_
