#include "resolver/remote/read_call.h"

#include <chrono>
#include <utility>

#include "base/cancellable_wait.h"

namespace stagedoor {

namespace pb = resolver::v1;

ReadCall::ReadCall(RequestContext& context, const ServiceConnection& connection,
                   pb::ReadRequest request)
    : context_(context),
      answer_timeout_(connection.options().answer_timeout),
      request_(std::move(request)) {
  // A stream may last; only its messages have to come in time.
  ServiceConnection::SetDeadline(context, std::chrono::hours(24), &call_);
  ServiceConnection::AddTrace(&call_);
  connection.stub().async()->Read(&call_, &request_, this);
  AddHold();
  StartCall();
}

ReadCall::~ReadCall() {
  call_.TryCancel();
  Finish();
}

const pb::ReadResponse* ReadCall::Next() {
  {
    MutexLock lock(mu_);
    if (reading_ == Reading::kEnded) return nullptr;
    reading_ = Reading::kWaiting;
  }
  StartRead(&message_);
  return WaitForMessage() == Reading::kArrived ? &message_ : nullptr;
}

grpc::Status ReadCall::Finish() {
  if (std::exchange(held_, false)) RemoveHold();
  MutexLock lock(mu_);
  while (!status_.has_value()) changed_.Wait(mu_);
  if (late_) return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "late");
  return *status_;
}

void ReadCall::OnReadDone(bool ok) {
  MutexLock lock(mu_);
  reading_ = ok ? Reading::kArrived : Reading::kEnded;
  changed_.NotifyAll();
}

void ReadCall::OnDone(const grpc::Status& status) {
  MutexLock lock(mu_);
  status_ = status;
  changed_.NotifyAll();
}

ReadCall::Reading ReadCall::WaitForMessage() {
  const bool alive = WaitWhileAlive();
  if (!alive) call_.TryCancel();
  MutexLock lock(mu_);
  while (reading_ == Reading::kWaiting) changed_.Wait(mu_);
  if (!alive) reading_ = Reading::kEnded;
  return reading_;
}

bool ReadCall::WaitWhileAlive() {
  const auto latest = RequestContext::Clock::now() + answer_timeout_;
  MutexLock lock(mu_);
  while (reading_ == Reading::kWaiting) {
    if (!CancellableWait(context_, mu_, changed_).ok()) return false;
    late_ = RequestContext::Clock::now() >= latest && reading_ == Reading::kWaiting;
    if (late_) return false;
  }
  return true;
}

}  // namespace stagedoor
