// FailureMemory: failures that caches remember for a while, so that what is missing is not looked
// for again at each request.
//
// Failures that say something about the key (NOT_FOUND, INVALID_ARGUMENT, DATA_LOSS,
// PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED) are remembered; those that say something
// about the moment never are. Bounded. Not thread-safe: it stands
// under the lock of the cache that owns it, which also knows what time it is.
#ifndef STAGEDOOR_BASE_FAILURE_MEMORY_H_
#define STAGEDOOR_BASE_FAILURE_MEMORY_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <unordered_map>

#include "absl/status/status.h"

namespace stagedoor {

// Whether a failure will be the same when asked again soon.
bool IsLastingFailure(const absl::Status& status);

template <typename Key, typename Hash = std::hash<Key>>
class FailureMemory {
 public:
  using Clock = std::chrono::steady_clock;

  FailureMemory() = default;
  FailureMemory(const FailureMemory&) = delete;
  FailureMemory& operator=(const FailureMemory&) = delete;

  // Replaces what is remembered of the key; above `limit` (at least one) the oldest goes. No effect
  // for a failure of the moment.
  void Remember(const Key& key, const absl::Status& status, Clock::time_point expiry,
                size_t limit) {
    if (!IsLastingFailure(status)) return;
    Forget(key);
    if (failures_.size() >= limit && !failures_.empty()) Forget(Key(failures_.front().key));
    std::list<Failure> failure;
    failure.push_back({key, status, expiry});
    index_.emplace(key, failure.begin());
    failures_.splice(failures_.end(), failure);
  }
  // Null if there is none that has not expired at `now`. Valid until the next call.
  const absl::Status* Find(const Key& key, Clock::time_point now) {
    const auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    if (now < it->second->expiry) return &it->second->status;
    Erase(it);
    return nullptr;
  }
  void Forget(const Key& key) {
    const auto it = index_.find(key);
    if (it != index_.end()) Erase(it);
  }
  template <typename Predicate>  // bool(const Key&)
  void ForgetIf(const Predicate& matches) {
    for (auto it = index_.begin(); it != index_.end();) {
      it = matches(it->first) ? Erase(it) : std::next(it);
    }
  }
  void Clear() {
    index_.clear();
    failures_.clear();
  }
  // Expired ones included that nobody has asked for since.
  size_t size() const { return failures_.size(); }

 private:
  struct Failure {
    Key key;
    absl::Status status;
    Clock::time_point expiry;
  };
  using Index = std::unordered_map<Key, typename std::list<Failure>::iterator, Hash>;

  typename Index::iterator Erase(typename Index::iterator it) {
    failures_.erase(it->second);
    return index_.erase(it);
  }

  std::list<Failure> failures_;  // oldest first
  Index index_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FAILURE_MEMORY_H_
