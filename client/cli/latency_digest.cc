#include "client/cli/latency_digest.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stagedoor {
namespace {

// Each power of two has so many buckets of equal width; smaller numbers have one each.
constexpr int kBits = 6;
constexpr uint64_t kParts = 1 << kBits;

}  // namespace

LatencyDigest::LatencyDigest() : buckets_(BucketOf(UINT64_MAX) + 1, 0) {}

size_t LatencyDigest::BucketOf(uint64_t nanoseconds) {
  if (nanoseconds < kParts) return nanoseconds;
  const int shift = std::bit_width(nanoseconds) - 1 - kBits;
  return kParts * static_cast<size_t>(shift) + (nanoseconds >> shift);
}

uint64_t LatencyDigest::MostIn(size_t bucket) {
  if (bucket < kParts) return bucket;
  const size_t shift = bucket / kParts - 1;
  const uint64_t part = kParts + bucket % kParts;
  return (part << shift) + ((uint64_t{1} << shift) - 1);
}

void LatencyDigest::Add(std::chrono::nanoseconds latency) {
  const auto nanoseconds = static_cast<uint64_t>(std::max<int64_t>(latency.count(), 0));
  ++buckets_[BucketOf(nanoseconds)];
  ++count_;
  sum_ += static_cast<double>(nanoseconds);
  max_ = std::max(max_, nanoseconds);
}

void LatencyDigest::Add(const LatencyDigest& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

std::chrono::nanoseconds LatencyDigest::Mean() const {
  if (count_ == 0) return {};
  return std::chrono::nanoseconds(std::llround(sum_ / static_cast<double>(count_)));
}

std::chrono::nanoseconds LatencyDigest::Percentile(double percent) const {
  const double wanted = std::ceil(percent / 100 * static_cast<double>(count_));
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen > 0 && static_cast<double>(seen) >= wanted) {
      return std::chrono::nanoseconds(std::min(MostIn(i), max_));
    }
  }
  return {};
}

}  // namespace stagedoor
