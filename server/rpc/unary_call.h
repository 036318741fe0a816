#ifndef STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
#define STAGEDOOR_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>

#include "base/status_macros.h"
#include "server/rpc/call_weight.h"
#include "server/rpc/message_serialization.h"
#include "server/rpc/queued_call.h"
#include "server/rpc/request_message.h"

namespace stagedoor::server {

// A unary method.
template <typename Request, typename Response>
struct UnaryMethod {
  MethodCounters& counters;
  CallWeight weight;
  std::function<bool(const Request&)>
      can_run_inline;  // for CallWeight::kInline; null means all calls
  // May change the request.
  std::function<absl::Status(RequestContext&, Request&, Response*)> handler;
};

// One unary call, from the bytes of its request to those of its reply. Deletes itself when gRPC is
// done with it; its reservations, including that for the reply, last until then.
template <typename Request, typename Response>
class UnaryCall final : public grpc::ServerUnaryReactor, private QueuedCall {
 public:
  using Method = UnaryMethod<Request, Response>;

  // `method` must outlive the call. gRPC owns the bytes.
  UnaryCall(CallAdmission& admission, const Method& method, grpc::CallbackServerContext* context,
            grpc::ByteBuffer* request, grpc::ByteBuffer* reply)
      : QueuedCall(admission, method.counters, context),
        method_(method),
        request_bytes_(request),
        reply_(reply) {
    call().AddBytesIn(request->Length());
  }

  // Must be called exactly once. Parses a request that may be light on the calling thread.
  void Start() {
    bool light = false;
    if (method_.weight == CallWeight::kInline &&
        request_bytes_->Length() <= kMaxInlineRequestBytes) {
      const absl::Status read = call().Run([this]() -> absl::Status {
        SD_RETURN_IF_ERROR(call().context().Reserve(request_bytes_->Length(), "the request"));
        return Read();
      });
      if (!read.ok()) return Fail(read);
      light = method_.can_run_inline == nullptr || method_.can_run_inline(*request_);
    } else {
      const absl::Status reserved = ReserveRequest(request_bytes_->Length());
      if (!reserved.ok()) return Fail(reserved);
    }
    QueuedCall::Start(light, method_.weight == CallWeight::kHeavy ? Lane::kLong : Lane::kShort);
  }

 private:
  static constexpr size_t kMaxInlineRequestBytes = 64 << 10;

  void Work() override {
    call().BeginStep();
    const absl::Status status = call().Run([this] { return Answer(); });
    const auto discarded = call().context().TakeDeferred();  // destroyed after the reply is sent
    if (!status.ok()) return Fail(status);
    call().AddBytesOut(reply_->Length());
    WriteStarted();
    AddReplyTerms();
    Finish(call().End(status));
  }
  void Fail(const absl::Status& status) override { Finish(call().End(status)); }

  absl::Status Read() {
    if (read_) return absl::OkStatus();
    read_ = true;
    return ParseMessage(request_bytes_, request_.get());
  }

  absl::Status Answer() {
    SD_RETURN_IF_ERROR(Read());
    const auto response = std::make_shared<Response>();
    SD_RETURN_IF_ERROR(method_.handler(call().context(), *request_, response.get()));
    request_.Free();
    return SerializeReply(call().context(), response, reply_);
  }

  void OnCancel() override { Cancel(); }
  void OnDone() override { Done(); }
  // OnCancel and OnDone are quick, so gRPC may run them without waking another thread.
  bool InternalInlineable() override { return true; }

  const Method& method_;
  grpc::ByteBuffer* const request_bytes_;
  grpc::ByteBuffer* const reply_;
  RequestMessage<Request> request_;
  bool read_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_UNARY_CALL_H_
