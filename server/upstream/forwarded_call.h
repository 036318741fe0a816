#ifndef STAGEDOOR_SERVER_UPSTREAM_FORWARDED_CALL_H_
#define STAGEDOOR_SERVER_UPSTREAM_FORWARDED_CALL_H_

#include <google/protobuf/message.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/rpc/queued_call.h"
#include "server/upstream/forwarded_method.h"
#include "server/upstream/node.h"
#include "server/upstream/shared_reply.h"
#include "server/upstream/stage_request.h"

namespace stagedoor::server {

// A call of a process to a node daemon: finds its reply among those that are kept or are arriving,
// or fetches it upstream, and sends its messages as they come. Derived classes are gRPC's reactors.
// Deletes itself when gRPC and all that it waits for are done with it.
class ForwardedCall : private QueuedCall, private ReplyReader {
 public:
  // `node` and `method` must outlive the call. gRPC owns the bytes.
  ForwardedCall(CallAdmission& admission, MethodCounters& counters, Node& node,
                const ForwardedMethod& method, grpc::CallbackServerContext* context,
                grpc::ByteBuffer* request);

  // Must be called exactly once.
  void Start();

 protected:
  // gRPC's operations. The last two finish the call, so that this object may be deleted meanwhile.
  virtual void WriteMessage(const grpc::ByteBuffer* message) = 0;
  virtual void WriteLastMessage(grpc::ByteBuffer* message, const grpc::Status& status) = 0;
  virtual void FinishCall(const grpc::Status& status) = 0;

  // gRPC's reactions.
  void MessageWritten(bool ok);
  void Cancelled();
  using QueuedCall::Done;

 private:
  // The first step: parses the request and decides what becomes of it.
  void Work() override;
  void Fail(const absl::Status& status) override { End(status); }
  absl::Status Read();
  void Dispatch();

  // Calls that the node daemon answers itself.
  void Open(int attempts_left);
  void AnswerOpen(const NodeSessions::Stage& stage, int attempts_left);
  void RenewLease();
  void CloseStage();
  void Describe();
  // Gives the handle a session of its own first.
  void Edit();
  // A query of a snapshot, whose reply may be kept.
  void Query(const std::string& snapshot);
  void JoinReply(const std::string& snapshot);
  // Passes the call on without keeping its reply.
  void Pass();

  void Follow(std::shared_ptr<SharedReply> reply);
  // A function that continues the call later, on any thread, unless it has ended by then.
  template <typename... Args>
  std::function<void(Args...)> Later(std::function<void(Args...)> fn);

  // Sends what the reply has, until it has to wait.
  void Pump();
  // Takes the message.
  void Send(grpc::ByteBuffer* message, bool last);
  // The reply to GetStage with the expiry of the handle, not that of the lease upstream.
  absl::StatusOr<grpc::ByteBuffer> WithExpiry(const grpc::ByteBuffer& message) const;
  void SendWhole(const google::protobuf::Message& reply);
  // Whether the reply ended with an error that concerns only the caller for whom it was fetched.
  bool FetchesAgain(const grpc::Status& status) const;
  // End the call, once. The second one is for errors from upstream, which are passed on as they
  // are.
  void End(const absl::Status& status);
  void EndAs(const grpc::Status& status);
  // False if the call has ended, or is sending something.
  bool BeginEnd();

  void Wake() override { Pump(); }
  void Retain() override { Ref(); }
  void Unretain() override { Unref(); }

  Node& node_;
  const ForwardedMethod& method_;
  grpc::CallbackServerContext* const grpc_;
  grpc::ByteBuffer* const request_bytes_;
  std::shared_ptr<StageRequest> request_;
  NodeSessions::Stage stage_;
  grpc::ByteBuffer message_;  // that is being sent
  bool fetched_ = false;      // whether the reply is fetched for this call
  bool sent_ = false;         // whether a message was sent

  Mutex mu_;
  std::shared_ptr<SharedReply> reply_ ABSL_GUARDED_BY(mu_);
  bool working_ ABSL_GUARDED_BY(mu_) = false;
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_FORWARDED_CALL_H_
