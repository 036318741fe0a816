#include "client/sdk/lease_keeper.h"

#include <algorithm>
#include <utility>

namespace stagedoor::sdk {

LeaseKeeper::~LeaseKeeper() {
  std::thread thread;
  {
    MutexLock lock(mu_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  changed_.NotifyAll();
  if (thread.joinable()) thread.join();
}

void LeaseKeeper::Keep(const std::shared_ptr<Lease>& lease) {
  {
    MutexLock lock(mu_);
    leases_.push_back(lease);
    added_ = true;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  changed_.NotifyAll();
}

LeaseKeeper::Clock::time_point LeaseKeeper::RenewDue(Clock::time_point now) {
  std::vector<std::shared_ptr<Lease>> kept;
  {
    MutexLock lock(mu_);
    for (const std::weak_ptr<Lease>& lease : leases_) {
      std::shared_ptr<Lease> held = lease.lock();
      if (held != nullptr && !held->closed()) kept.push_back(std::move(held));
    }
    leases_.assign(kept.begin(), kept.end());
  }
  Clock::time_point next = Clock::time_point::max();
  for (const std::shared_ptr<Lease>& lease : kept) {
    if (lease->renew_at() <= now) renew_(*lease);
    next = std::min(next, lease->renew_at());
  }
  return next;
}

void LeaseKeeper::Run() {
  for (;;) {
    const Clock::time_point next = RenewDue(Clock::now());
    MutexLock lock(mu_);
    while (!stopping_ && !added_ && changed_.WaitUntil(mu_, next)) {
    }
    if (stopping_) return;
    added_ = false;
  }
}

}  // namespace stagedoor::sdk
