#ifndef STAGEDOOR_SERVER_RPC_STREAM_CALL_H_
#define STAGEDOOR_SERVER_RPC_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <functional>

#include "absl/status/statusor.h"
#include "server/rpc/queued_call.h"
#include "server/rpc/weight.h"
#include "server/rpc/wire_stream.h"

namespace stagedoor {

// A server-streaming method: how its streams begin, and where. `handler` may take the bytes.
struct StreamMethod {
  MethodCounters& counters;
  Weight weight;
  std::function<bool(const grpc::ByteBuffer&)> is_light;  // of a light method
  std::function<absl::StatusOr<WireStreamPtr>(RequestContext&, grpc::ByteBuffer*)> handler;
};

// One server-streaming call: each message is made once the one before is out, where there is room,
// and the thread is given back in between. A stream that has taken long belongs to the long lane.
// The bytes of a message stay reserved until gRPC has taken it. Owns itself and goes when gRPC is
// done with it.
class StreamCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>, private QueuedCall {
 public:
  // `method` outlives the call; the bytes are gRPC's.
  StreamCall(CallRuntime& runtime, const StreamMethod& method, grpc::CallbackServerContext* context,
             grpc::ByteBuffer* request)
      : QueuedCall(runtime, method.counters, context), method_(method), request_(request) {}

  // To be called once.
  void Start();

 private:
  void Continue();
  void Work() override;
  void Fail(const absl::Status& status) override;

  // Makes the next message, which has its bytes reserved.
  absl::StatusOr<bool> MakeMessage();

  void OnWriteDone(bool ok) override;
  void OnCancel() override { Cancel(); }
  void OnDone() override { Done(); }

  const StreamMethod& method_;
  grpc::ByteBuffer* const request_;
  bool light_ = false;
  std::chrono::steady_clock::duration spent_{0};  // making messages
  WireStreamPtr stream_;
  grpc::ByteBuffer message_;
  size_t message_bytes_ = 0;  // reserved
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_STREAM_CALL_H_
