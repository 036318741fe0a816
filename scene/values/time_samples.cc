#include "scene/values/time_samples.h"

#include <algorithm>

#include "scene/values/interpolation.h"

namespace stagedoor {
namespace {

class MemoryTimeSamples final : public TimeSamples {
 public:
  MemoryTimeSamples(Array<double> times, std::vector<Value> values)
      : TimeSamples(std::move(times)), values_(std::move(values)) {}

  Value At(size_t i) const override { return values_[i]; }
  bool BlockedAt(size_t i) const override { return values_[i].is_block(); }
  bool MayHoldEdits() const override { return holds_edits_; }

 private:
  static bool HoldsEdits(const std::vector<Value>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const Value& v) { return v.type() == ValueType::kArrayEdit; });
  }

  const std::vector<Value> values_;
  const bool holds_edits_ = HoldsEdits(values_);
};

}  // namespace

Value TimeSamples::Between(size_t i, double alpha) const {
  Value lower = At(i);
  if (lower.is_block() || !InterpolatesLinearly(lower.type())) return lower;
  return Interpolate(lower, At(i + 1), alpha);
}

std::ptrdiff_t TimeSamples::LastAtOrBefore(double time) const {
  const std::span<const double> all = times();
  return std::upper_bound(all.begin(), all.end(), time) - all.begin() - 1;
}

RefPtr<const TimeSamples> MakeTimeSamples(std::vector<std::pair<double, Value>> samples) {
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(samples.begin(), samples.end(), earlier)) {
    std::stable_sort(samples.begin(), samples.end(), earlier);
  }
  std::vector<double> times;
  std::vector<Value> values;
  times.reserve(samples.size());
  values.reserve(samples.size());
  for (auto& [time, value] : samples) {
    if (time != time) continue;  // nan
    if (!times.empty() && times.back() == time) {
      values.back() = std::move(value);
      continue;
    }
    times.push_back(time);
    values.push_back(std::move(value));
  }
  return MakeRef<MemoryTimeSamples>(Array<double>::FromVector(std::move(times)), std::move(values));
}

bool operator==(const TimeSamples& a, const TimeSamples& b) {
  if (&a == &b) return true;
  if (!(a.times_array() == b.times_array())) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a.At(i) == b.At(i))) return false;
  }
  return true;
}

}  // namespace stagedoor
