// FailureMemory: failures that caches remember for a while, so that what is missing is not looked
// for again at each request.
//
// Failures that say something about the key (NOT_FOUND, INVALID_ARGUMENT, DATA_LOSS,
// PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED) are remembered; those that say something
// about the moment never are. Bounded in number and in bytes: keys may be paths as long as content
// likes. Not thread-safe: it stands under the lock of the cache that owns it, which also knows what
// time it is.
#ifndef STAGEDOOR_BASE_FAILURE_MEMORY_H_
#define STAGEDOOR_BASE_FAILURE_MEMORY_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "absl/status/status.h"
#include "base/memory_account.h"

namespace stagedoor {

// Whether a failure will be the same when asked again soon.
bool IsLastingFailure(const absl::Status& status);

// How much a FailureMemory may hold.
struct FailureLimits {
  size_t entries;                   // at least one
  size_t bytes = size_t{16} << 20;  // of keys and messages
};

template <typename Key, typename Hash = std::hash<Key>>
class FailureMemory {
 public:
  using Clock = std::chrono::steady_clock;

  FailureMemory() = default;
  FailureMemory(const FailureMemory&) = delete;
  FailureMemory& operator=(const FailureMemory&) = delete;

  // Replaces what is remembered of the key; above the limits the oldest go. A failure of the
  // moment, and one that has more bytes than there may be, is only forgotten.
  void Remember(const Key& key, const absl::Status& status, Clock::time_point expiry,
                FailureLimits limits) {
    if (!IsLastingFailure(status)) return;
    Forget(key);
    const size_t bytes = BytesOf(key, status);
    if (bytes > limits.bytes) return;
    while (!failures_.empty() &&
           (failures_.size() >= limits.entries || bytes_ + bytes > limits.bytes)) {
      Erase(index_.find(failures_.front().key));
    }
    std::list<Failure> failure;
    failure.push_back({key, status, expiry, bytes});
    index_.emplace(key, failure.begin());
    // From here on nothing can fail.
    failures_.splice(failures_.end(), failure);
    bytes_ += bytes;
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
    bytes_ = 0;
  }
  // Expired ones included that nobody has asked for since.
  size_t size() const { return failures_.size(); }
  // What they take, roughly.
  size_t bytes() const { return bytes_; }

 private:
  struct Failure {
    Key key;
    absl::Status status;
    Clock::time_point expiry;
    size_t bytes;
  };
  using Index = std::unordered_map<Key, typename std::list<Failure>::iterator, Hash>;

  // The key is in the list and in the index.
  static size_t BytesOf(const Key& key, const absl::Status& status) {
    size_t bytes = sizeof(Failure) + sizeof(Key) + 2 * kNodeBytes + status.message().size();
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
      bytes += 2 * std::string_view(key).size();
    }
    return bytes;
  }

  typename Index::iterator Erase(typename Index::iterator it) {
    bytes_ -= it->second->bytes;
    failures_.erase(it->second);
    return index_.erase(it);
  }

  std::list<Failure> failures_;  // oldest first
  Index index_;
  size_t bytes_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FAILURE_MEMORY_H_
