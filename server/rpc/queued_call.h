#ifndef STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_
#define STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "server/rpc/call.h"
#include "server/rpc/stall_watch.h"

namespace stagedoor {

// What unary and streaming calls do alike: they wait for a thread, and whichever comes first ends
// the wait, the thread or the client that goes away; then gRPC and the queue let go of the object
// in either order, and the last one deletes it.
class QueuedCall : public StallWatch::Sender {
 protected:
  QueuedCall(CallRuntime& runtime, MethodCounters& counters, grpc::CallbackServerContext* context)
      : grpc_(context), call_(std::make_unique<Call>(runtime, counters, context->deadline())) {}

  Call& call() { return *call_; }

  // Runs Work on the calling thread, one of gRPC's, if `light` and it may; else has it run in
  // `lane`, unless TakeFromQueue comes before. Without memory for that Fail is called.
  void Start(bool light, Lane lane);

  // Whether the call was waiting for a thread. From then on it does not, and Work will not run.
  bool TakeFromQueue() { return queued_.exchange(false, std::memory_order_acq_rel); }

  // The client is gone, or gRPC's own deadline has passed. A call that waits for a thread ends.
  void Cancel();

  // gRPC is done with the call: nothing of it may be used any more.
  void Done();

  // A message is on its way to the client; it was taken.
  void Sent() { call_->runtime().stalls().Sent(*this, call_->context().deadline()); }
  void Taken() { call_->runtime().stalls().Taken(*this); }

  // What the call does next. May end this object.
  virtual void Work() = 0;
  // Ends the call instead.
  virtual void Fail(const absl::Status& status) = 0;

 private:
  void CutOff(std::chrono::seconds patience) final;
  void LetGo() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  grpc::CallbackServerContext* const grpc_;
  std::unique_ptr<Call> call_;  // null once gRPC is done
  std::atomic<bool> queued_{false};
  std::atomic<int> holders_{1};  // gRPC and entries of the queue
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_
