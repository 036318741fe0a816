#ifndef STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_
#define STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "server/rpc/call.h"
#include "server/rpc/call_origin.h"
#include "server/rpc/stall_watchdog.h"

namespace stagedoor::server {

// Base of unary and streaming calls that wait for an executor thread. The wait ends when it is the
// call's turn (CallQueue) or the client goes away, whichever comes first. gRPC and the queue then
// release the object in either order, and the last release deletes it.
class QueuedCall : public StallWatchdog::Writer, private CallQueue::Step {
 protected:
  QueuedCall(CallAdmission& admission, MethodCounters& counters,
             grpc::CallbackServerContext* context)
      : grpc_(context),
        call_(std::make_unique<Call>(admission, counters, context->deadline(),
                                     admission.Identify(*context, counters), context)) {}

  Call& call() { return *call_; }

  // Reserves the bytes of the request, so that they count while the call waits.
  absl::Status ReserveRequest(size_t bytes);

  // Runs Work on the calling gRPC thread if `light` is set and the inline slot is free. Otherwise
  // queues it in `lane`, where it runs unless the call is cancelled first; calls Fail instead if
  // the queue refuses it.
  void Start(bool light, Lane lane);

  // To be called when the client is gone or gRPC's own deadline has passed. MarkCancelled returns
  // the error with which the call is over; Cancel also ends a queued call.
  absl::Status MarkCancelled();
  void Cancel();

  // Keeps the object until Unref.
  void Ref() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // To be called when gRPC is done with the call. Nothing of it may be used afterwards.
  void Done();

  // Says in the trailing metadata of a call that succeeds how long its reply stays right, if the
  // client asks for it (reply_terms.h). To be called before the call is finished.
  void AddReplyTerms();

  // To be called when a message is being sent to the client, and when gRPC has sent it.
  void WriteStarted() {
    call_->set_state(CallState::kSending);
    call_->admission().stall_watchdog().WriteStarted(*this, call_->context().deadline());
  }
  void WriteDone() { call_->admission().stall_watchdog().WriteDone(*this); }

  // The next step of the call. May delete this object.
  virtual void Work() = 0;
  // Ends the call with an error instead. May delete this object.
  virtual void Fail(const absl::Status& status) = 0;

 private:
  absl::Status Enqueue(bool light, Lane lane);
  void RunStep() final;
  void RefuseStep(const absl::Status& status) final;
  void AbortStalled(std::chrono::seconds timeout) final;

  grpc::CallbackServerContext* const grpc_;
  std::unique_ptr<Call> call_;        // null once gRPC is done
  std::optional<CallOrigin> origin_;  // known once the call has had to wait
  bool started_ = false;
  std::atomic<int> holders_{1};  // gRPC, the queue or an event, and Start while it uses the queue
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_QUEUED_CALL_H_
