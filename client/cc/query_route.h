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
#include "client/cc/frame_carrier.h"
#include "client/cc/query_link.h"
#include "stagedoor/v1/server.pb.h"

namespace stagedoor {

// Decides how the BatchGetValues requests of a client travel: as query frames, over the query
// socket of its daemon or else a stream of gRPC, if the daemon offers that (GetCapabilities), or as
// calls. Looks for these in the background, from the first request on that may use them, and again
// when the connection has broken. Thread-safe.
class QueryRoute {
 public:
  using Clock = QueryLink::Clock;
  using Request = QueryLink::Request;
  using Reply = absl::StatusOr<v1::BatchGetValuesResponse>;
  using Capabilities = absl::StatusOr<v1::GetCapabilitiesResponse>;
  using Carrier = absl::StatusOr<std::unique_ptr<FrameCarrier>>;

  // The carriers that it may use, and limits of the client.
  struct Options {
    bool socket = true;
    bool stream = true;
    std::chrono::milliseconds timeout;
    size_t max_message_bytes;
  };

  // The gRPC side of a client.
  class Transport {
   public:
    virtual ~Transport() = default;
    // Asks for the capabilities of the daemon, without blocking. Not after the client's end.
    virtual void AskCapabilities(std::function<void(Capabilities)> done) = 0;
    // Begins a stream of query frames, without blocking. Not after the client's end.
    virtual void OpenStream(std::function<void(Carrier)> done) = 0;
    // Asks a query over gRPC.
    virtual void CallAsync(const Request& request, const CallOptions& call,
                           std::function<void(Reply)> done) = 0;
    // Called before an asynchronous query begins, and after it has ended.
    virtual void Begin() = 0;
    virtual void End() = 0;
  };

  // `transport` must outlive the object, and all asynchronous calls have ended before.
  QueryRoute(Transport& transport, const Options& options)
      : transport_(transport), options_(options) {}
  ~QueryRoute();
  QueryRoute(const QueryRoute&) = delete;
  QueryRoute& operator=(const QueryRoute&) = delete;

  // Asks a query. Nothing if it is to be asked over gRPC, as one is that finds no other in flight
  // on a stream.
  std::optional<Reply> Run(const Request& request, const CallOptions& call);
  // As Run, without a copy of the arrays that are in shared memory.
  QueryLink::SharedOutcome RunShared(const Request& request, const CallOptions& call);
  // As Run, with a callback. False if it is to be asked over gRPC, in which case `done` is not
  // used.
  bool Start(const Request& request, const CallOptions& call,
             const std::function<void(Reply)>& done);

  // The carrier of query frames at present, if there is one, and how many queries each kind has
  // answered.
  std::optional<FrameCarrier::Kind> carrier() const;
  uint64_t answered(FrameCarrier::Kind kind) const {
    return AnsweredBy(kind).load(std::memory_order_relaxed);
  }

 private:
  template <typename Result>
  using BlockingQuery = std::optional<Result> (QueryLink::*)(const Request&, Clock::time_point,
                                                             const std::shared_ptr<Cancellation>&);
  template <typename Result>
  std::optional<Result> Ask(const Request& request, const CallOptions& call,
                            BlockingQuery<Result> ask);
  // The connection; null if there is none, in which case one is looked for now and then if `looks`.
  std::shared_ptr<QueryLink> Link(bool looks);
  void OnCapabilities(const Capabilities& capabilities);
  void OnStream(Carrier carrier);
  // Ends a look: with a connection, or null. `pause`: until the next look, once it is needed.
  void EndLook(std::shared_ptr<QueryLink> link, std::chrono::seconds pause);

  const std::atomic<uint64_t>& AnsweredBy(FrameCarrier::Kind kind) const {
    return kind == FrameCarrier::Kind::kSocket ? answered_by_socket_ : answered_by_stream_;
  }
  void CountAnswer(FrameCarrier::Kind kind);

  Transport& transport_;
  const Options options_;
  std::atomic<uint64_t> answered_by_socket_{0};
  std::atomic<uint64_t> answered_by_stream_{0};

  mutable Mutex mu_;
  std::shared_ptr<QueryLink> link_ ABSL_GUARDED_BY(mu_);  // may be broken
  bool looking_ ABSL_GUARDED_BY(mu_) = false;
  Clock::time_point next_look_ ABSL_GUARDED_BY(mu_) = Clock::time_point::min();
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_QUERY_ROUTE_H_
