#ifndef STAGEDOOR_CLIENT_CC_STREAM_CALL_H_
#define STAGEDOOR_CLIENT_CC_STREAM_CALL_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/sync_stream.h>

#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "client/cc/call_options.h"
#include "client/cc/call_state.h"
#include "client/cc/retry_policy.h"
#include "client/cc/stream_receiver.h"

namespace stagedoor {

// Runs a server-streaming call with all its attempts on the calling thread. It is retried only
// until its receiver has passed on a first message. `start` starts one attempt, and `make_receiver`
// makes what takes its messages.
absl::Status RunStreamCall(
    CallState& state, const CallOptions& options,
    absl::FunctionRef<std::unique_ptr<grpc::ClientReaderInterface<google::protobuf::MessageLite>>(
        grpc::ClientContext*)>
        start,
    absl::FunctionRef<std::unique_ptr<StreamReceiver>()> make_receiver);

// The asynchronous form of RunStreamCall: messages arrive on gRPC threads, one at a time. The
// object deletes itself when the call has ended.
class AsyncStreamCall {
 public:
  using Reactor = grpc::ClientReadReactor<google::protobuf::MessageLite>;
  using Start = std::function<void(grpc::ClientContext*, Reactor*)>;
  using MakeReceiver = std::function<std::unique_ptr<StreamReceiver>()>;
  using Done = std::function<void(absl::Status)>;

  // Returns immediately. `done` runs once, after the last message; before the function returns if
  // the options are wrong.
  static void Run(CallState& state, const CallOptions& options, Start start,
                  MakeReceiver make_receiver, Done done);

 private:
  class Reader;

  AsyncStreamCall(CallState& state, const CallOptions& options, Start start,
                  MakeReceiver make_receiver, Done done);
  ~AsyncStreamCall();

  void Attempt();
  void Ended(const AttemptEnd& end);

  CallState& state_;
  const CallOptions options_;
  RetryPolicy policy_;
  const Start start_;
  const MakeReceiver make_receiver_;
  const Done done_;
  std::unique_ptr<Reader> reader_;
  bool delivered_ = false;  // whether a message was passed on
  absl::Status wanted_;     // what the receiver returned last
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_STREAM_CALL_H_
