#ifndef STAGEDOOR_BASE_NEGATIVE_CACHE_H_
#define STAGEDOOR_BASE_NEGATIVE_CACHE_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "base/heap_costs.h"
#include "base/recency_list.h"

namespace stagedoor {

// Whether the same request, repeated soon, is expected to fail in the same way.
bool IsPermanentError(const absl::Status& status);

// The capacity of a NegativeCache.
struct NegativeCacheLimits {
  size_t entries;                   // at least 1
  size_t bytes = size_t{16} << 20;  // total size of keys and messages
};

// A negative cache, which remembers failures for a while, so that a missing asset is not looked for
// again on each request.
//
// Failures that depend on the key (NOT_FOUND, INVALID_ARGUMENT, DATA_LOSS, PERMISSION_DENIED,
// FAILED_PRECONDITION, UNIMPLEMENTED) are remembered; transient failures never are. Bounded both in
// number and in bytes, because keys may be paths of any length. Not thread-safe: the cache that
// owns it guards it with its lock and supplies the time.
template <typename Key, typename Hash = std::hash<Key>>
class NegativeCache {
 public:
  using Clock = std::chrono::steady_clock;

  NegativeCache() = default;
  NegativeCache(const NegativeCache&) = delete;
  NegativeCache& operator=(const NegativeCache&) = delete;

  // Stores a failure, in place of an earlier one of the same key. The oldest ones are evicted to
  // stay within the limits. A transient failure has no effect; a failure that alone exceeds the
  // limits only removes the earlier one.
  void Remember(const Key& key, const absl::Status& status, Clock::time_point expiry,
                NegativeCacheLimits limits) {
    if (!IsPermanentError(status)) return;
    Forget(key);
    const size_t bytes = BytesOf(key, status);
    if (bytes > limits.bytes) return;
    while (!failures_.empty() &&
           (failures_.size() >= limits.entries || bytes_ + bytes > limits.bytes)) {
      Erase(failures_.oldest());
    }
    failures_.Add(key, {status, expiry, bytes});
    bytes_ += bytes;
  }
  // Null if there is no failure that is still valid at `now`. The result is valid until the next
  // call.
  const absl::Status* Find(const Key& key, Clock::time_point now) {
    const auto it = failures_.Find(key);
    if (it == failures_.end()) return nullptr;
    if (now < it->value.expiry) return &it->value.status;
    Erase(it);
    return nullptr;
  }
  void Forget(const Key& key) {
    const auto it = failures_.Find(key);
    if (it != failures_.end()) Erase(it);
  }
  template <typename Predicate>  // bool(const Key&)
  void ForgetIf(const Predicate& matches) {
    for (auto it = failures_.begin(); it != failures_.end();) {
      it = matches(it->key) ? Erase(it) : std::next(it);
    }
  }
  void Clear() {
    failures_.Clear();
    bytes_ = 0;
  }
  // Includes expired failures that have not been looked up since.
  size_t size() const { return failures_.size(); }
  // The approximate memory of all failures, in bytes.
  size_t bytes() const { return bytes_; }

 private:
  struct Failure {
    absl::Status status;
    Clock::time_point expiry;
    size_t bytes;
  };
  using Failures = RecencyList<Key, Failure, Hash>;  // a look-up is not a use

  static size_t BytesOf(const Key& key, const absl::Status& status) {
    size_t bytes = sizeof(typename Failures::Entry) + 2 * kNodeBytes + status.message().size();
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
      bytes += std::string_view(key).size();
    }
    return bytes;
  }

  typename Failures::iterator Erase(typename Failures::iterator it) {
    bytes_ -= it->value.bytes;
    return failures_.Erase(it);
  }

  Failures failures_;
  size_t bytes_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_NEGATIVE_CACHE_H_
