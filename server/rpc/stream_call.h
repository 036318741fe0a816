#ifndef STAGEDOOR_SERVER_RPC_STREAM_CALL_H_
#define STAGEDOOR_SERVER_RPC_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/rpc/call_weight.h"
#include "server/rpc/queued_call.h"
#include "server/rpc/suspended_calls.h"
#include "server/rpc/wire_stream.h"

namespace stagedoor::server {

// A server-streaming method. `handler` opens a stream and may consume the bytes of the request.
struct StreamMethod {
  MethodCounters& counters;
  CallWeight weight;
  std::function<bool(const grpc::ByteBuffer&)>
      can_run_inline;  // for CallWeight::kInline; null means all calls
  std::function<absl::StatusOr<WireStreamPtr>(RequestContext&, grpc::ByteBuffer*)> handler;
};

// One server-streaming call. A turn on a thread makes one message or, after the first one, as many
// as take little time and memory; they are sent one after another without a thread, and then it is
// the turn of other calls. So streams of many messages do not wake a thread for each. A stream that
// has taken long moves to the long lane. A stream that has nothing to send is suspended until it
// has (ResponseStream::WaitForMore). The bytes of a message stay reserved until gRPC has sent it.
// Deletes itself when gRPC is done with it.
class StreamCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                         private QueuedCall,
                         private Suspension::Waiter {
 public:
  // `method` must outlive the call. gRPC owns the bytes.
  StreamCall(CallAdmission& admission, const StreamMethod& method,
             grpc::CallbackServerContext* context, grpc::ByteBuffer* request)
      : QueuedCall(admission, method.counters, context), method_(method), request_(request) {
    call().AddBytesIn(request->Length());
  }

  // Must be called exactly once.
  void Start();

 private:
  void Continue();
  void Work() override;
  void Fail(const absl::Status& status) override;

  // Waits for what the stream has to send next, if it has nothing yet.
  void Suspend();
  void Resume() override;
  void EndSuspended(const absl::Status& status) override;

  // Makes the messages of the turn that began at `begin`.
  void MakeMessages(std::chrono::steady_clock::time_point begin);
  // Makes the next message and reserves its bytes. False at the end of the stream.
  absl::StatusOr<bool> MakeMessage();
  // Whether the turn makes another message.
  bool MayMakeMore(std::chrono::steady_clock::time_point begin);
  // Sends the next message, or ends the call. May delete this object.
  void Send();

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { Done(); }

  const StreamMethod& method_;
  grpc::ByteBuffer* const request_;
  bool light_ = false;
  std::chrono::steady_clock::duration spent_{0};  // on making messages
  WireStreamPtr stream_;
  bool has_sent_ = false;
  std::deque<grpc::ByteBuffer> made_;  // to be sent, in order
  size_t made_bytes_ = 0;
  std::optional<absl::Status> end_;  // of the stream, after what was made
  grpc::ByteBuffer message_;         // that is being sent
  size_t message_bytes_ = 0;         // reserved for message_

  Mutex suspension_mu_;
  std::shared_ptr<Suspension> suspension_ ABSL_GUARDED_BY(suspension_mu_);  // the latest
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_STREAM_CALL_H_
