#ifndef STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_
#define STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "server/rpc/call.h"
#include "server/rpc/stall_watchdog.h"

namespace stagedoor::server {

// Base of unary and streaming calls that wait for an executor thread. The wait ends when a thread
// is free or the client goes away, whichever comes first. gRPC and the executor's queue then
// release the object in either order, and the last release deletes it.
class QueuedCall : public StallWatchdog::Writer {
 protected:
  QueuedCall(CallAdmission& admission, MethodCounters& counters,
             grpc::CallbackServerContext* context)
      : grpc_(context), call_(std::make_unique<Call>(admission, counters, context->deadline())) {}

  Call& call() { return *call_; }

  // Runs Work on the calling gRPC thread if `run_inline` is set and the inline slot is free.
  // Otherwise queues it in `lane`, where it runs unless TryDequeue comes first; calls Fail if there
  // is no memory to queue it.
  void Start(bool run_inline, Lane lane);

  // Takes the call out of the queue; the queued Work will not run. False if it was not queued.
  bool TryDequeue() { return queued_.exchange(false, std::memory_order_acq_rel); }

  // To be called when the client is gone or gRPC's own deadline has passed. Ends a queued call.
  void Cancel();

  // To be called when gRPC is done with the call. Nothing of it may be used afterwards.
  void Done();

  // To be called when a message is being sent to the client, and when gRPC has sent it.
  void WriteStarted() {
    call_->admission().stall_watchdog().WriteStarted(*this, call_->context().deadline());
  }
  void WriteDone() { call_->admission().stall_watchdog().WriteDone(*this); }

  // The next step of the call. May delete this object.
  virtual void Work() = 0;
  // Ends the call with an error instead. May delete this object.
  virtual void Fail(const absl::Status& status) = 0;

 private:
  void AbortStalled(std::chrono::seconds timeout) final;
  void Unref() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  grpc::CallbackServerContext* const grpc_;
  std::unique_ptr<Call> call_;  // null once gRPC is done
  std::atomic<bool> queued_{false};
  std::atomic<int> holders_{1};  // gRPC and queue entries
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_
