#ifndef STAGEDOOR_CLIENT_CLI_LATENCY_DIGEST_H_
#define STAGEDOOR_CLIENT_CLI_LATENCY_DIGEST_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagedoor {

// Counts latencies in buckets, so that percentiles of any number of calls take little memory. They
// are exact to 1.6 percent. Not thread-safe.
class LatencyDigest {
 public:
  LatencyDigest();

  // Negative latencies count as 0.
  void Add(std::chrono::nanoseconds latency);
  void Add(const LatencyDigest& other);

  uint64_t count() const { return count_; }
  std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }
  // All are 0 if nothing was added.
  std::chrono::nanoseconds Mean() const;
  // The latency that `percent` percent of the calls did not exceed.
  std::chrono::nanoseconds Percentile(double percent) const;

 private:
  static size_t BucketOf(uint64_t nanoseconds);
  static uint64_t MostIn(size_t bucket);

  std::vector<uint64_t> buckets_;
  uint64_t count_ = 0, max_ = 0;
  double sum_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_LATENCY_DIGEST_H_
