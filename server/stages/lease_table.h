#ifndef STAGEDOOR_SERVER_STAGES_LEASE_TABLE_H_
#define STAGEDOOR_SERVER_STAGES_LEASE_TABLE_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/stages/change_signal.h"
#include "server/stages/lease_options.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {

// The stage handles that clients hold. Each keeps one StageSession alive until its time to live has
// passed since its last use. Handles are secrets, so they are in no message. Thread-safe.
class LeaseTable {
 public:
  using Clock = LeaseOptions::Clock;
  struct Grant {
    std::string handle;
    Clock::duration ttl;
  };

  explicit LeaseTable(LeaseOptions options) : options_(std::move(options)) {}

  // Whether a text has the form of a handle.
  static bool IsHandle(std::string_view text);
  // NOT_FOUND (STAGE_NOT_FOUND).
  static absl::Status UnknownHandle();

  // The owner of a new lease.
  struct Owner {
    std::string name;              // of the caller; empty for calls inside the process
    size_t max_leases = SIZE_MAX;  // of the owner
    std::string client_name;       // that the client gave, for ListStages
  };
  // Creates a handle. A `ttl` of zero means the default; a longer one than max_ttl is reduced to
  // it. RESOURCE_EXHAUSTED if there are max_leases leases, of all or of the owner.
  absl::StatusOr<Grant> Add(std::shared_ptr<StageSession> session, Clock::duration ttl,
                            Owner owner);

  // Enters the lease of a handle that another replica granted, unless it is there already. Errors
  // as for Add.
  absl::Status Restore(std::string_view handle, std::shared_ptr<StageSession> session,
                       Clock::duration ttl, Owner owner);

  // A lease that has not ended.
  struct Living {
    std::string handle;
    std::shared_ptr<StageSession> session;
    Clock::duration ttl;
    Owner owner;
  };
  // All leases. TakeUsed returns those that were used since an eighth of their time to live after
  // they were returned last.
  std::vector<Living> All() const;
  std::vector<Living> TakeUsed();
  // One lease; nothing for an unknown handle.
  std::optional<Living> Find(std::string_view handle) const;

  // The session of a handle, whose time to live restarts. NOT_FOUND (STAGE_NOT_FOUND), also for the
  // handle of another owner, or FAILED_PRECONDITION (LEASE_EXPIRED).
  absl::StatusOr<std::shared_ptr<StageSession>> Acquire(std::string_view handle,
                                                        std::string_view owner);

  // The session of a handle, whose time to live goes on. Errors as for Acquire.
  absl::StatusOr<std::shared_ptr<StageSession>> Peek(std::string_view handle,
                                                     std::string_view owner);
  // Notifies `signal` when the lease ends. Errors as for Acquire.
  absl::Status Watch(std::string_view handle, std::string_view owner,
                     const std::shared_ptr<ChangeSignal>& signal);

  // Sets a new time to live and returns the one granted. Errors as for Acquire.
  absl::StatusOr<Clock::duration> Renew(std::string_view handle, std::string_view owner,
                                        Clock::duration ttl);

  // The remaining time to live. Zero for an unknown handle.
  Clock::duration RemainingTtl(std::string_view handle) const;

  // Ends a lease. Errors as for Acquire.
  absl::Status Remove(std::string_view handle, std::string_view owner);

  // Drops expired leases and returns their number. To be called periodically.
  size_t Sweep();

  size_t size() const;

 private:
  // The remains of an ended lease, to be destroyed after the lock is released.
  struct EndedLease {
    EndedLease() = default;
    EndedLease(EndedLease&&) = default;
    EndedLease& operator=(EndedLease&&) = default;
    ~EndedLease() {
      for (const auto& watcher : watchers) watcher->NotifyEnd();
    }
    SessionLease held;
    std::vector<std::shared_ptr<ChangeSignal>> watchers;
  };
  struct Lease {
    SessionLease held;
    Owner owner;
    Clock::duration ttl;
    Clock::time_point expiry;
    ChangeSignals watchers;
    Clock::time_point taken;  // when TakeUsed returned it, or it was added
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Map = std::unordered_map<std::string, Lease, Hash, std::equal_to<>>;

  static Living Describe(const std::string& handle, const Lease& lease);
  Clock::duration Allowed(Clock::duration ttl) const;
  // Moves the session of an expired lease to `expired`, to be destroyed after the lock is released.
  absl::StatusOr<Map::iterator> Find(std::string_view handle, std::string_view owner,
                                     EndedLease* expired) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status CheckRoom(const Owner& owner) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RememberExpired(const std::string& handle, const Lease& lease)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Removes a lease. The caller destroys the result after the lock is released.
  EndedLease Take(Map::iterator it) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const LeaseOptions options_;
  mutable Mutex mu_;
  Map leases_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<std::string, size_t> counts_ ABSL_GUARDED_BY(mu_);  // of leases, by owner
  // Handles with the names of their owners.
  std::unordered_set<std::string, Hash, std::equal_to<>> expired_ ABSL_GUARDED_BY(mu_);
  std::deque<std::string> expired_order_ ABSL_GUARDED_BY(mu_);  // oldest first
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_LEASE_TABLE_H_
