#ifndef STAGEDOOR_SERVER_STORE_TESTING_MEMORY_SESSION_STORE_H_
#define STAGEDOOR_SERVER_STORE_TESTING_MEMORY_SESSION_STORE_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "server/store/session_store.h"

namespace stagedoor::server {

// The records that the stores of several servers in one process share.
class SharedRecords {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SharedRecords(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)) {}

 private:
  friend class MemorySessionStore;
  struct Record {
    std::string data;
    uint64_t revision = 0;
    Clock::time_point expiry;
  };
  struct Lease {
    std::string session;
    std::string data;
    Clock::time_point expiry;
  };
  using StateKey = std::pair<std::string, std::string>;  // session, state
  struct Recipe {
    std::string data;
    uint64_t weight = 0;
  };
  using Recipes = std::map<std::string, Recipe>;  // by ID

  void DropExpired() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Drops a session with its states if it has no lease.
  void DropUnleased(const std::string& session) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The number of the current slot. Drops the slots that do not count any more.
  int64_t Slot(SessionStore::Ttl slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::function<Clock::time_point()> now_;
  Mutex mu_;
  std::map<std::string, Record, std::less<>> sessions_ ABSL_GUARDED_BY(mu_);
  std::map<StateKey, Record> states_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Lease, std::less<>> leases_ ABSL_GUARDED_BY(mu_);
  std::map<int64_t, Recipes> uses_ ABSL_GUARDED_BY(mu_);  // by the number of the slot
  bool reachable_ ABSL_GUARDED_BY(mu_) = true;

  Mutex listeners_mu_;  // held while listeners are called; never together with mu_
  std::map<const void*, SessionStore::Listener> listeners_ ABSL_GUARDED_BY(listeners_mu_);
};

// A store in the memory of the process, whose outages tests control.
class MemorySessionStore final : public SessionStore {
 public:
  explicit MemorySessionStore(std::shared_ptr<SharedRecords> records)
      : records_(std::move(records)) {}
  ~MemorySessionStore() override { SetListener(nullptr); }

  absl::StatusOr<std::optional<Session>> FindSession(RequestContext& context,
                                                     std::string_view session) override;
  absl::StatusOr<bool> WriteSession(RequestContext& context, const Update& update) override;
  absl::StatusOr<std::optional<std::string>> FindState(RequestContext& context,
                                                       std::string_view session,
                                                       std::string_view state) override;
  absl::Status WriteLease(RequestContext& context, std::string_view session, std::string_view lease,
                          std::string_view record, Ttl ttl) override;
  absl::StatusOr<std::optional<std::string>> FindLease(RequestContext& context,
                                                       std::string_view lease) override;
  absl::Status RemoveLease(RequestContext& context, std::string_view session,
                           std::string_view lease) override;
  absl::Status Renew(RequestContext& context, std::span<const Renewal> renewals) override;
  absl::Status RecordUses(RequestContext& context, std::span<const Use> uses, Ttl slot) override;
  absl::StatusOr<std::vector<std::string>> HottestRecipes(RequestContext& context, size_t count,
                                                          Ttl slot) override;
  void SetListener(Listener listener) override;

  // Whether calls succeed, and the loss of all records. They affect all stores of the shared
  // records.
  void SetReachable(bool reachable);
  void LoseRecords();

 private:
  // The error of an outage or of the context.
  absl::Status Begin(RequestContext& context) ABSL_EXCLUSIVE_LOCKS_REQUIRED(records_->mu_);
  // Calls all other listeners.
  void Announce(std::optional<std::string_view> session);

  const std::shared_ptr<SharedRecords> records_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_TESTING_MEMORY_SESSION_STORE_H_
