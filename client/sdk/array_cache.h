#ifndef STAGEDOOR_CLIENT_SDK_ARRAY_CACHE_H_
#define STAGEDOOR_CLIENT_SDK_ARRAY_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "base/recency_list.h"
#include "stagedoor/v1/types.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::sdk {

using SharedArray = std::shared_ptr<const v1::PackedValues>;
// Arrays by digest.
using ArraysByDigest = std::unordered_map<std::string, SharedArray>;

// Holds arrays by digest, the least recently used ones evicted above a limit of bytes, so that a
// daemon need not send them again (docs/client_protocol.md). Remembers for which attributes and
// times they came, because a client is to name only those that it expects in a reply. Thread-safe.
class ArrayCache {
 public:
  explicit ArrayCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  bool enabled() const { return max_bytes_ > 0; }

  // Adds the arrays that may come for an attribute at times, and are held, to `expected`: those
  // that came for these times, and the last one. The caller keeps them until it has the reply, so
  // that eviction cannot take them away.
  void Expect(const std::string& path, std::span<const double> times,
              ArraysByDigest* expected) const;
  // As Expect, for all times of an interval.
  void ExpectBetween(const std::string& path, double start, double end,
                     ArraysByDigest* expected) const;
  // Keeps an array with a digest that came for an attribute. Returns the one to use: perhaps one
  // that is held already.
  SharedArray Store(SharedArray array);
  // Takes note that the array with this digest came for an attribute at a time; NaN if the time is
  // not a number.
  void Remember(const std::string& path, double time, const std::string& digest);

  size_t held_bytes() const;
  uint64_t hits() const;
  uint64_t misses() const;

 private:
  struct Known {
    std::string last;
    std::map<double, std::string> by_time;
  };

  void Add(const std::string& digest, ArraysByDigest* expected) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const size_t max_bytes_;
  mutable Mutex mu_;
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t hits_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t misses_ ABSL_GUARDED_BY(mu_) = 0;
  mutable RecencyList<std::string, SharedArray> arrays_ ABSL_GUARDED_BY(mu_);  // by digest
  std::unordered_map<std::string, Known> known_ ABSL_GUARDED_BY(mu_);          // by path
  size_t times_ ABSL_GUARDED_BY(mu_) = 0;  // of all paths in known_
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_ARRAY_CACHE_H_
