#ifndef STAGEDOOR_SCENE_VALUES_TIME_CODE_RANGE_H_
#define STAGEDOOR_SCENE_VALUES_TIME_CODE_RANGE_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace stagedoor {

// Times from first to last with a stride, given as a frame specification of OpenUSD's tools: "101",
// "1:10", "10:1", "1:100x0.5". "1:100:0.5" is accepted too. Corresponds to OpenUSD's
// UsdUtilsTimeCodeRange. A value type.
class TimeCodeRange {
 public:
  // The empty range.
  TimeCodeRange() = default;

  // INVALID_ARGUMENT if a number is not finite, or if the stride is zero or leads away from `last`;
  // RESOURCE_EXHAUSTED for more than kMaxSize times. Without a stride it is 1, or -1 if last <
  // first.
  static absl::StatusOr<TimeCodeRange> Create(double first, double last);
  static absl::StatusOr<TimeCodeRange> Create(double first, double last, double stride);
  // An empty text gives the empty range. INVALID_ARGUMENT quotes a malformed text.
  static absl::StatusOr<TimeCodeRange> Parse(std::string_view frame_spec);

  static constexpr uint64_t kMaxSize = uint64_t{1} << 32;

  uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // first + i * stride.
  double operator[](uint64_t i) const { return first_ + static_cast<double>(i) * stride_; }

 private:
  double first_ = 0;
  double stride_ = 1;
  uint64_t size_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_TIME_CODE_RANGE_H_
