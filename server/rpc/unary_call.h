#ifndef STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
#define STAGEDOOR_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>

#include "base/status_macros.h"
#include "server/rpc/queued_call.h"
#include "server/rpc/weight.h"
#include "server/rpc/wire.h"

namespace stagedoor {

// A unary method: how its calls are answered, and where.
template <typename Request, typename Response>
struct UnaryMethod {
  MethodCounters& counters;
  Weight weight;
  std::function<bool(const Request&)> is_light;  // of a light method; none: all of its calls
  std::function<absl::Status(RequestContext&, const Request&, Response*)> handler;
};

// One unary call, from the bytes of its request to those of its reply. Owns itself and goes when
// gRPC is done with it; what it has reserved, its reply included, until then.
template <typename Request, typename Response>
class UnaryCall final : public grpc::ServerUnaryReactor, private QueuedCall {
 public:
  using Method = UnaryMethod<Request, Response>;

  // `method` outlives the call; the bytes are gRPC's.
  UnaryCall(CallRuntime& runtime, const Method& method, grpc::CallbackServerContext* context,
            grpc::ByteBuffer* request, grpc::ByteBuffer* reply)
      : QueuedCall(runtime, method.counters, context),
        method_(method),
        request_bytes_(request),
        reply_(reply) {}

  // To be called once. A request that may be light is read on the calling thread.
  void Start() {
    bool light = false;
    if (method_.weight == Weight::kLight && request_bytes_->Length() <= kLightRequestBytes) {
      const absl::Status read = call().Run([this] { return Read(); });
      if (!read.ok()) return Fail(read);
      light = method_.is_light == nullptr || method_.is_light(request_);
    } else if (!call().admitted().ok()) {
      return Fail(call().admitted());
    }
    QueuedCall::Start(light, method_.weight == Weight::kHeavy ? Lane::kLong : Lane::kShort);
  }

 private:
  static constexpr size_t kLightRequestBytes = 64 << 10;

  void Work() override {
    const absl::Status status = call().Run([this] { return Answer(); });
    const auto discarded = call().context().TakeDiscarded();  // goes when the call was answered
    if (!status.ok()) return Fail(status);
    Sent();
    Finish(call().End(status));
  }
  void Fail(const absl::Status& status) override { Finish(call().End(status)); }

  absl::Status Read() {
    if (read_) return absl::OkStatus();
    read_ = true;
    SD_RETURN_IF_ERROR(call().context().Reserve(request_bytes_->Length(), "the request"));
    return ReadMessage(request_bytes_, &request_);
  }

  absl::Status Answer() {
    SD_RETURN_IF_ERROR(Read());
    Response response;
    SD_RETURN_IF_ERROR(method_.handler(call().context(), request_, &response));
    request_ = Request();
    return WriteReply(call().context(), response, reply_);
  }

  void OnCancel() override { Cancel(); }
  void OnDone() override { Done(); }
  // Both only note what has happened: gRPC need not wake another thread for them.
  bool InternalInlineable() override { return true; }

  const Method& method_;
  grpc::ByteBuffer* const request_bytes_;
  grpc::ByteBuffer* const reply_;
  Request request_;
  bool read_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
