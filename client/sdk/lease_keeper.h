#ifndef STAGEDOOR_CLIENT_SDK_LEASE_KEEPER_H_
#define STAGEDOOR_CLIENT_SDK_LEASE_KEEPER_H_

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "client/sdk/lease.h"

namespace stagedoor::sdk {

// Renews leases that nobody uses, on a thread of its own, which the first lease starts.
// Thread-safe.
class LeaseKeeper {
 public:
  using Clock = Lease::Clock;

  // `renew` is called for each lease that is due; it must not block, and renew_at() must be later
  // then.
  explicit LeaseKeeper(std::function<void(Lease&)> renew) : renew_(std::move(renew)) {}
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Keeps a lease until it is closed or destroyed.
  void Keep(const std::shared_ptr<Lease>& lease);

  // Renews the leases that are due at `now`, and forgets those that have ended. Returns when the
  // next one will be due. For the thread, and for tests.
  Clock::time_point RenewDue(Clock::time_point now);

 private:
  void Run();

  const std::function<void(Lease&)> renew_;
  Mutex mu_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool added_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::weak_ptr<Lease>> leases_ ABSL_GUARDED_BY(mu_);
  std::thread thread_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_LEASE_KEEPER_H_
