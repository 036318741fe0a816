#ifndef STAGEDOOR_RESOLVER_REMOTE_READ_CALL_H_
#define STAGEDOOR_RESOLVER_REMOTE_READ_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>

#include <optional>

#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/remote/service_connection.h"
#include "stagedoor/resolver/v1/resolver.pb.h"

namespace stagedoor {

// One call of Read, whose messages are fetched one by one by a thread that waits for them on behalf
// of a request. Cancelled when it is destroyed, when the request is over, and when a message does
// not arrive in time. Used by one thread.
class ReadCall final : private grpc::ClientReadReactor<resolver::v1::ReadResponse> {
 public:
  // The arguments must outlive the call.
  ReadCall(RequestContext& context, const ServiceConnection& connection,
           resolver::v1::ReadRequest request);
  ~ReadCall() override;
  ReadCall(const ReadCall&) = delete;
  ReadCall& operator=(const ReadCall&) = delete;

  // The next message, valid until the next call; null at the end.
  const resolver::v1::ReadResponse* Next();
  // How the call ended. Call it once Next has returned null.
  grpc::Status Finish();

 private:
  enum class Reading { kIdle, kWaiting, kArrived, kEnded };

  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  // Waits for a message; cancels the call if there is a reason to.
  Reading WaitForMessage();
  // Returns false once the request is over or the message is late.
  bool WaitWhileAlive();

  RequestContext& context_;
  const std::chrono::milliseconds answer_timeout_;
  const resolver::v1::ReadRequest request_;
  resolver::v1::ReadResponse message_;
  grpc::ClientContext call_;
  bool late_ = false;
  bool held_ = true;  // the call cannot end before the hold is removed

  Mutex mu_;
  CondVar changed_;
  Reading reading_ ABSL_GUARDED_BY(mu_) = Reading::kIdle;
  std::optional<grpc::Status> status_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_READ_CALL_H_
