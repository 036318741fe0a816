#include "client/sdk/lease.h"

#include <utility>

namespace stagedoor::sdk {

void Lease::Adopt(Grant grant, Clock::time_point now) {
  MutexLock lock(mu_);
  grant_ = std::move(grant);
  used_ = now;
}

Lease::Grant Lease::Use(Clock::time_point now) {
  MutexLock lock(mu_);
  used_ = now;
  return grant_;
}

bool Lease::Close() {
  MutexLock lock(mu_);
  return !std::exchange(closed_, true);
}

bool Lease::closed() const {
  MutexLock lock(mu_);
  return closed_;
}

std::string Lease::handle() const {
  MutexLock lock(mu_);
  return grant_.handle;
}

size_t Lease::daemon() const {
  MutexLock lock(mu_);
  return grant_.daemon;
}

Lease::Clock::time_point Lease::renew_at() const {
  MutexLock lock(mu_);
  if (closed_) return Clock::time_point::max();
  return used_ + grant_.ttl / 3;
}

void Lease::Renew(Client& client, const std::shared_ptr<Cancellation>& closing) {
  v1::RenewLeaseRequest request;
  request.set_handle(Use(Clock::now()).handle);
  client.RenewLeaseAsync(request, [](const absl::StatusOr<v1::RenewLeaseResponse>&) {},
                         {.timeout = std::chrono::seconds(10), .cancellation = closing});
}

}  // namespace stagedoor::sdk
