#ifndef STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_CALL_H_
#define STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_CALL_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "client/cc/retry_policy.h"
#include "server/upstream/forwarded_method.h"
#include "server/upstream/upstream_addresses.h"
#include "server/upstream/upstream_counters.h"

namespace stagedoor::server {

// The metadata key of routing keys (docs/client_protocol.md, "Behind a proxy").
inline constexpr char kRoutingKey[] = "stagedoor-routing-key";

// Who makes a call, as it is passed on.
struct ForwardedCaller {
  // The value of the metadata "authorization"; empty for a process that sends no token.
  std::string authorization;
  // The metadata by which logs find a call again.
  std::vector<std::pair<std::string, std::string>> trace;
};

// A call of an upstream daemon.
struct UpstreamRequest {
  const ForwardedMethod* method = nullptr;
  grpc::ByteBuffer message;
  ForwardedCaller caller;
  std::string routing_key;
  std::chrono::system_clock::time_point deadline = std::chrono::system_clock::time_point::max();
  // Whether the call may be carried out twice.
  bool repeatable = true;
  // The daemon that is tried first; by default that of the routing key.
  std::optional<size_t> address = std::nullopt;
};

// How a call upstream has ended.
struct UpstreamEnd {
  grpc::Status status;
  bool lasting = false;  // kLastingReply
  size_t address = 0;    // the daemon that has answered
};

class UpstreamCall;

// Takes what a call upstream brings, on gRPC's threads, one call of a function at a time.
class UpstreamListener {
 public:
  virtual ~UpstreamListener() = default;
  // Called first, by UpstreamCall::Start.
  virtual void OnStart(std::shared_ptr<UpstreamCall> call) = 0;
  // The next message. Another one comes after UpstreamCall::ReadNext.
  virtual void OnMessage(const grpc::ByteBuffer& message) = 0;
  // Called once, last.
  virtual void OnEnd(const UpstreamEnd& end) = 0;
};

// One call of an upstream daemon, with its attempts: a daemon that cannot be reached is followed by
// the next one, and after all of them by a pause. A call that has brought a message is not
// repeated. Thread-safe. Keeps itself and its listener alive until it has ended.
class UpstreamCall : public std::enable_shared_from_this<UpstreamCall> {
 public:
  // The objects that all calls share. They keep `owner` alive, which has the other objects.
  struct Environment {
    UpstreamAddresses& addresses;
    UpstreamCounters& counters;
    std::weak_ptr<const void> owner;
    RetryClock& clock = RetryClock::Default();
  };

  // Starts a call. Its first message is read without ReadNext.
  static std::shared_ptr<UpstreamCall> Start(const Environment& environment,
                                             UpstreamRequest request,
                                             std::shared_ptr<UpstreamListener> listener);

  // Asks for one more message, after the last one was delivered.
  void ReadNext();
  // Ends the call early. Its listener gets the end nevertheless.
  void Cancel();

 private:
  class Attempt;
  class StreamAttempt;
  class UnaryAttempt;

  UpstreamCall(const Environment& environment, UpstreamRequest&& request,
               std::shared_ptr<UpstreamListener> listener);

  void Begin();
  void StartAttempt();
  void Take(Attempt* attempt, const grpc::ByteBuffer& message);
  void AttemptEnded(const grpc::Status& status, bool lasting);
  // Whether there is another attempt, which it starts or schedules.
  bool TryAgain(const grpc::Status& status);
  void End(grpc::Status status, bool lasting);
  grpc::Status Unreachable(const grpc::Status& status) const;

  const Environment environment_;
  const std::shared_ptr<const void> owner_;
  const UpstreamRequest request_;
  RetryPolicy policy_;
  // Used by one thread at a time, that of the current attempt.
  std::vector<size_t> order_;
  size_t tried_ = 0;
  bool delivered_ = false;

  Mutex mu_;
  std::shared_ptr<UpstreamListener> listener_ ABSL_GUARDED_BY(mu_);  // null at the end
  Attempt* attempt_ ABSL_GUARDED_BY(mu_) = nullptr;                  // deletes itself
  bool reading_ ABSL_GUARDED_BY(mu_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
};

// Makes a unary call, and calls `done` with its end and its reply, which is empty on failure.
using WholeReply = std::function<void(const UpstreamEnd&, const grpc::ByteBuffer&)>;
void CallUpstream(const UpstreamCall::Environment& environment, UpstreamRequest request,
                  WholeReply done);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_CALL_H_
