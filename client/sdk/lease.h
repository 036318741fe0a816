#ifndef STAGEDOOR_CLIENT_SDK_LEASE_H_
#define STAGEDOOR_CLIENT_SDK_LEASE_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "client/cc/client.h"

namespace stagedoor::sdk {

// A handle to a stage of one daemon. Outlives the stage, so that the thread that renews leases does
// not keep stages open. Thread-safe.
class Lease {
 public:
  using Clock = std::chrono::steady_clock;

  struct Grant {
    std::string handle;
    size_t daemon = 0;  // the index of its client
    Clock::duration ttl = std::chrono::seconds(60);
  };

  // Uses another handle from now on.
  void Adopt(Grant grant, Clock::time_point now);
  // Takes note that a call uses the handle, and so renews the lease; returns it.
  Grant Use(Clock::time_point now);
  // Ends the use of the handle; false if it has ended already.
  bool Close();
  bool closed() const;
  std::string handle() const;
  size_t daemon() const;

  // When the lease must be renewed if it is not used: after a third of its time to live.
  Clock::time_point renew_at() const;
  // Renews the lease without waiting for it, until `closing` is cancelled. A lease that is lost is
  // noticed by the next call.
  void Renew(Client& client, const std::shared_ptr<Cancellation>& closing);

 private:
  mutable Mutex mu_;
  Grant grant_ ABSL_GUARDED_BY(mu_);
  Clock::time_point used_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_LEASE_H_
