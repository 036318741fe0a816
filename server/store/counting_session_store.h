#ifndef STAGEDOOR_SERVER_STORE_COUNTING_SESSION_STORE_H_
#define STAGEDOOR_SERVER_STORE_COUNTING_SESSION_STORE_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/store/session_store.h"

namespace stagedoor::server {

// Counts the calls of another store.
class CountingSessionStore final : public SessionStore {
 public:
  // `store` must outlive the object.
  explicit CountingSessionStore(SessionStore& store) : store_(store) {}

  uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  // Those that failed because the store could not be reached.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

  absl::StatusOr<std::optional<Session>> FindSession(RequestContext& context,
                                                     std::string_view session) override {
    return Count(store_.FindSession(context, session));
  }
  absl::StatusOr<bool> WriteSession(RequestContext& context, const Update& update) override {
    return Count(store_.WriteSession(context, update));
  }
  absl::StatusOr<std::optional<std::string>> FindState(RequestContext& context,
                                                       std::string_view session,
                                                       std::string_view state) override {
    return Count(store_.FindState(context, session, state));
  }
  absl::Status WriteLease(RequestContext& context, std::string_view session, std::string_view lease,
                          std::string_view record, Ttl ttl) override {
    return Count(store_.WriteLease(context, session, lease, record, ttl));
  }
  absl::StatusOr<std::optional<std::string>> FindLease(RequestContext& context,
                                                       std::string_view lease) override {
    return Count(store_.FindLease(context, lease));
  }
  absl::Status RemoveLease(RequestContext& context, std::string_view session,
                           std::string_view lease) override {
    return Count(store_.RemoveLease(context, session, lease));
  }
  absl::Status Renew(RequestContext& context, std::span<const Renewal> renewals) override {
    return Count(store_.Renew(context, renewals));
  }
  absl::Status RecordUses(RequestContext& context, std::span<const Use> uses, Ttl slot) override {
    return Count(store_.RecordUses(context, uses, slot));
  }
  absl::StatusOr<std::vector<std::string>> HottestRecipes(RequestContext& context, size_t count,
                                                          Ttl slot) override {
    return Count(store_.HottestRecipes(context, count, slot));
  }
  void SetListener(Listener listener) override { store_.SetListener(std::move(listener)); }

 private:
  absl::Status Count(absl::Status status) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    if (status.code() == absl::StatusCode::kUnavailable) {
      failures_.fetch_add(1, std::memory_order_relaxed);
    }
    return status;
  }
  template <typename T>
  absl::StatusOr<T> Count(absl::StatusOr<T> result) {
    (void)Count(result.status());
    return result;
  }

  SessionStore& store_;
  std::atomic<uint64_t> calls_{0}, failures_{0};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_COUNTING_SESSION_STORE_H_
