#ifndef STAGEDOOR_CLIENT_CC_QUERY_ROUTE_H_
#define STAGEDOOR_CLIENT_CC_QUERY_ROUTE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/cc/call_options.h"
#include "client/cc/query_link.h"
#include "stagedoor/v1/server.pb.h"

namespace stagedoor {

// Decides how the BatchGetValues requests of a client travel: over the query socket of its daemon,
// if that offers one (GetCapabilities), or over gRPC. Looks for the socket in the background, from
// the first request on, and again when the connection to it has broken. Thread-safe.
class QueryRoute {
 public:
  using Clock = QueryLink::Clock;
  using Request = QueryLink::Request;
  using Reply = absl::StatusOr<v1::BatchGetValuesResponse>;
  using Capabilities = absl::StatusOr<v1::GetCapabilitiesResponse>;

  // The gRPC side of a client.
  class Transport {
   public:
    virtual ~Transport() = default;
    // Asks for the capabilities of the daemon, without blocking. Not after the client's end.
    virtual void AskCapabilities(std::function<void(Capabilities)> done) = 0;
    // Asks a query over gRPC.
    virtual void CallAsync(const Request& request, const CallOptions& call,
                           std::function<void(Reply)> done) = 0;
    // Called before an asynchronous query begins, and after it has ended.
    virtual void Begin() = 0;
    virtual void End() = 0;
  };

  // `transport` must outlive the object, and all asynchronous calls have ended before.
  QueryRoute(Transport& transport, std::chrono::milliseconds timeout, size_t max_message_bytes)
      : transport_(transport), timeout_(timeout), max_message_bytes_(max_message_bytes) {}
  ~QueryRoute();
  QueryRoute(const QueryRoute&) = delete;
  QueryRoute& operator=(const QueryRoute&) = delete;

  // Asks a query. Nothing if it is to be asked over gRPC.
  std::optional<Reply> Run(const Request& request, const CallOptions& call);
  // As Run, without a copy of the arrays that are in shared memory.
  QueryLink::SharedOutcome RunShared(const Request& request, const CallOptions& call);
  // As Run, with a callback. False if it is to be asked over gRPC, in which case `done` is not
  // used.
  bool Start(const Request& request, const CallOptions& call,
             const std::function<void(Reply)>& done);

  // Whether there is a connection to a query socket, and how many queries it has answered.
  bool connected() const;
  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }

 private:
  template <typename Result>
  using BlockingQuery = std::optional<Result> (QueryLink::*)(const Request&, Clock::time_point,
                                                             const std::shared_ptr<Cancellation>&);
  template <typename Result>
  std::optional<Result> Ask(const Request& request, const CallOptions& call,
                            BlockingQuery<Result> ask);
  // The connection; null if there is none, in which case one is looked for now and then.
  std::shared_ptr<QueryLink> Link();
  void OnCapabilities(const Capabilities& capabilities);

  Transport& transport_;
  const std::chrono::milliseconds timeout_;
  const size_t max_message_bytes_;
  std::atomic<uint64_t> answered_{0};

  mutable Mutex mu_;
  std::shared_ptr<QueryLink> link_ ABSL_GUARDED_BY(mu_);  // may be broken
  bool looking_ ABSL_GUARDED_BY(mu_) = false;
  Clock::time_point next_look_ ABSL_GUARDED_BY(mu_) = Clock::time_point::min();
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_QUERY_ROUTE_H_
