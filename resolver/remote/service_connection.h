#ifndef STAGEDOOR_RESOLVER_REMOTE_SERVICE_CONNECTION_H_
#define STAGEDOOR_RESOLVER_REMOTE_SERVICE_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/remote/resolver_service_options.h"
#include "stagedoor/resolver/v1/resolver.grpc.pb.h"

namespace stagedoor {

// The limits of the protocol (resolver.proto).
inline constexpr size_t kMaxServiceItems = 1000;
inline constexpr size_t kMaxServiceItemBytes = size_t{1} << 20;  // of a bulk request
inline constexpr size_t kMaxServicePieceBytes = size_t{1} << 20;
inline constexpr size_t kMaxServiceVersionBytes = 256;
inline constexpr uint64_t kMaxServiceAssetBytes = uint64_t{1} << 44;

// A channel to a resolver service and what its users share: how a call is made on behalf of a
// request, repeated, and what its errors say. Thread-safe.
class ServiceConnection {
 public:
  // INVALID_ARGUMENT for an address or a scheme that cannot be one. Does not wait for the service.
  static absl::StatusOr<std::shared_ptr<const ServiceConnection>> Open(
      const ResolverServiceOptions& options);
  ServiceConnection(std::shared_ptr<grpc::Channel> channel, ResolverServiceOptions options);

  const ResolverServiceOptions& options() const { return options_; }
  resolver::v1::ResolverService::Stub& stub() const { return *stub_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Starts a unary call, whose end is passed to the function.
  using Start = std::function<void(grpc::ClientContext*, std::function<void(grpc::Status)>)>;
  // Makes a unary call and waits for its end; repeats it after UNAVAILABLE. The error is for
  // Error().
  grpc::Status Call(RequestContext& context, const Start& start) const;

  // Sets the deadline of a call to that of the request, but to `timeout` from now at most.
  static void SetDeadline(const RequestContext& context, std::chrono::milliseconds timeout,
                          grpc::ClientContext* call);
  // Lets the service know which trace the request that this thread works for belongs to (W3C Trace
  // Context).
  static void AddTrace(grpc::ClientContext* call);

  // Converts the error of a call on behalf of `context` for `path`: the error of the context if it
  // is over; otherwise one that names the path and the service, of a code that ObjectStore lists.
  absl::Status Error(const RequestContext& context, const grpc::Status& status,
                     std::string_view path) const;
  // The error to report for that of an item of a bulk call.
  absl::Status Error(const resolver::v1::ItemError& error, std::string_view path) const;
  // UNAVAILABLE: the service has contradicted the protocol.
  absl::Status Nonsense(std::string_view path, std::string_view what) const;
  // FAILED_PRECONDITION: the service does not fit the configuration of the daemon.
  absl::Status Misconfigured(std::string_view path, std::string_view what) const;

 private:
  const ResolverServiceOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<resolver::v1::ResolverService::Stub> stub_;
};

// The attempts of one call. Not thread-safe.
class ServiceAttempts {
 public:
  explicit ServiceAttempts(const ResolverServiceOptions& options);

  // Whether to repeat a call that ended with `status`. Waits for the backoff first. False also once
  // the request is over.
  bool Again(RequestContext& context, const grpc::Status& status);
  // Called when a part of the result has arrived: further failures count from here.
  void Reset();

 private:
  const ResolverServiceOptions& options_;
  int left_ = 0;
  std::chrono::milliseconds backoff_{0};
};

// Returns between a half and the whole of `pause`, to spread the retries of many clients.
std::chrono::milliseconds Jittered(std::chrono::milliseconds pause);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_SERVICE_CONNECTION_H_
