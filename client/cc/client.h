#ifndef STAGEDOOR_CLIENT_CC_CLIENT_H_
#define STAGEDOOR_CLIENT_CC_CLIENT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/skel.pb.h"
#include "stagedoor/v1/stages.pb.h"
#include "stagedoor/v1/stats.pb.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stagedoor {

class RetryClock;

// The methods of the API, by service.
// clang-format off
#define STAGEDOOR_UNARY_METHODS(X)                                                           \
  X(Stages, OpenStage)                                                                       \
  X(Stages, GetStage) X(Stages, ListStages) X(Stages, CloseStage) X(Stages, RenewLease)      \
      X(Stages, SetSessionLayer) X(Stages, LoadPrims) X(Stages, UnloadPrims)                 \
          X(Stages, ReloadStage) X(Stages, MuteLayers) X(Query, BatchGetValues)              \
              X(Query, ListTimeSamples) X(Query, GetBracketingTimeSamples) X(Query, GetPrim) \
                  X(Query, Explain) X(Layers, ValidateLayer) X(Geom, ComputeTransforms)      \
                      X(Geom, ComputeVisibility) X(Geom, ComputeBounds)                      \
                          X(Cache, GetCacheStatistics) X(Cache, PrefetchClips)               \
                              X(Stats, GetServerStatistics)
// clang-format on
// clang-format off
#define STAGEDOOR_STREAM_METHODS(X)                                                             \
  X(Query, StreamValues)                                                                        \
  X(Query, StreamTimeSamples) X(Query, Traverse) X(Query, ListCollections) X(Layers, ReadLayer) \
      X(Layers, ConvertLayer) X(Layers, FlattenStage) X(Layers, StitchClips)                    \
          X(Layers, GenerateClipManifest) X(Layers, ListDependencies) X(Layers, LocalizeStage)  \
              X(Geom, GetPrimvars) X(Geom, ComputeInstanceTransforms) X(Skel, ListSkelBindings) \
                  X(Skel, ComputeJointTransforms) X(Skel, ComputeSkinnedPoints)
// clang-format on

struct ClientOptions {
  // "HOST:PORT" or "unix:PATH".
  std::string address;
  // Deadline of each call, retries included.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  // Where nothing listens, or the connection breaks, a call is tried again until its deadline, so
  // that a restart of the daemon goes unnoticed. But a daemon that has never answered this client
  // may be missing only so long: the address may be wrong.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  // Attempts of a call that the daemon itself refuses with UNAVAILABLE or with RetryInfo.
  int max_attempts = 4;
  // Pauses double from the first to the longest.
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds max_pause{1000};
  int max_message_bytes = 512 << 20;
};

// A connection to a Stagedoor daemon: every method of the API, blocking or asynchronous, with
// deadlines and retries. What has begun to stream is never tried again, nor is CloseStage; all
// other calls may be repeated without harm. Thread-safe. Failures carry the server's code and
// message and, as payload "type.googleapis.com/google.rpc.ErrorInfo", its reason (see ErrorReason).
//
//   auto client = Client::Connect({.address = "unix:/run/stagedoor"});
//   auto reply = client->OpenStage(request);
//   client->BatchGetValuesAsync(request, [](absl::StatusOr<v1::BatchGetValuesResponse> reply) { …
//   }); client->Traverse(request, [](const v1::TraverseResponse& part) { …; return
//   absl::OkStatus(); });
class Client {
 public:
  template <typename Response>
  using Callback = std::function<void(absl::StatusOr<Response>)>;
  // Gets each message of a stream. Anything but OK ends the call with that status.
  template <typename Response>
  using Sink = std::function<absl::Status(const Response&)>;

  // Does not wait for the connection: the first call does.
  static std::unique_ptr<Client> Connect(const ClientOptions& options);
  // Over a channel of the caller's, such as an in-process one; options.address is ignored.
  static std::unique_ptr<Client> Over(std::shared_ptr<grpc::Channel> channel,
                                      const ClientOptions& options);
  // The same with another clock, which outlives the client: for tests.
  static std::unique_ptr<Client> Over(std::shared_ptr<grpc::Channel> channel,
                                      const ClientOptions& options, RetryClock& clock);
  // Waits for calls in flight, which are not tried again any more.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

#define X(service, method)                                                         \
  absl::StatusOr<v1::method##Response> method(const v1::method##Request& request); \
  /* `callback` runs once, on a thread of gRPC's: it must not block. */            \
  void method##Async(const v1::method##Request& request, Callback<v1::method##Response> callback);
  STAGEDOOR_UNARY_METHODS(X)
#undef X

#define X(service, method) \
  absl::Status method(const v1::method##Request& request, const Sink<v1::method##Response>& sink);
  STAGEDOOR_STREAM_METHODS(X)
#undef X

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

// The server's stable reason of a failure, as "LEASE_EXPIRED"; empty where there is none.
std::string ErrorReason(const absl::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CLIENT_H_
