#include "client/sdk/array_cache.h"

#include <cmath>
#include <utility>

namespace stagedoor::sdk {
namespace {

// A digest is worth its 34 bytes in a request only as long as requests stay small.
constexpr size_t kMaxExpected = 100'000;
// Bounds on the digests that are kept. At a bound, they are dropped, and arrays are sent once more.
constexpr size_t kMaxPaths = 200'000;
constexpr size_t kMaxTimesOfPath = 1000;
constexpr size_t kMaxTimes = 400'000;  // of all paths

}  // namespace

void ArrayCache::Add(const std::string& digest, ArraysByDigest* expected) const {
  const auto held = arrays_.Find(digest);
  if (held == arrays_.end() || expected->size() >= kMaxExpected) return;
  arrays_.Touch(held);
  expected->emplace(digest, held->value);
}

void ArrayCache::Expect(const std::string& path, std::span<const double> times,
                        ArraysByDigest* expected) const {
  MutexLock lock(mu_);
  if (arrays_.empty()) return;
  const auto known = known_.find(path);
  if (known == known_.end()) return;
  Add(known->second.last, expected);
  for (const double time : times) {
    const auto at = known->second.by_time.find(time);
    if (at != known->second.by_time.end()) Add(at->second, expected);
  }
}

void ArrayCache::ExpectBetween(const std::string& path, double start, double end,
                               ArraysByDigest* expected) const {
  MutexLock lock(mu_);
  const auto known = known_.find(path);
  if (known == known_.end()) return;
  Add(known->second.last, expected);
  const auto& by_time = known->second.by_time;
  for (auto at = by_time.lower_bound(start); at != by_time.end() && at->first <= end; ++at) {
    Add(at->second, expected);
  }
}

SharedArray ArrayCache::Store(SharedArray array) {
  const std::string& digest = array->digest();
  const size_t size = array->data().size();
  MutexLock lock(mu_);
  const auto held = arrays_.Find(digest);
  if (held != arrays_.end()) {
    ++hits_;
    arrays_.Touch(held);
    return held->value;
  }
  ++misses_;
  if (size > max_bytes_) return array;
  arrays_.Add(digest, array);
  bytes_ += size;
  while (bytes_ > max_bytes_) {
    const auto last = arrays_.oldest();
    bytes_ -= last->value->data().size();
    arrays_.Erase(last);
  }
  return array;
}

void ArrayCache::Remember(const std::string& path, double time, const std::string& digest) {
  MutexLock lock(mu_);
  if (times_ >= kMaxTimes || (known_.size() >= kMaxPaths && !known_.contains(path))) {
    known_.clear();
    times_ = 0;
  }
  Known& known = known_[path];
  known.last = digest;
  if (std::isnan(time)) return;
  if (known.by_time.size() >= kMaxTimesOfPath) {
    times_ -= known.by_time.size();
    known.by_time.clear();
  }
  if (known.by_time.insert_or_assign(time, digest).second) ++times_;
}

size_t ArrayCache::held_bytes() const {
  MutexLock lock(mu_);
  return bytes_;
}

uint64_t ArrayCache::hits() const {
  MutexLock lock(mu_);
  return hits_;
}

uint64_t ArrayCache::misses() const {
  MutexLock lock(mu_);
  return misses_;
}

}  // namespace stagedoor::sdk
