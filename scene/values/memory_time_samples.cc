#include "scene/values/memory_time_samples.h"

#include <algorithm>
#include <cstddef>

#include "scene/values/array.h"
#include "scene/values/interpolation.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

class MemoryTimeSamples final : public TimeSamples {
 public:
  MemoryTimeSamples(Array<double> times, std::vector<Value> values)
      : TimeSamples(std::move(times)), values_(std::move(values)) {}

  Value At(size_t i) const override { return values_[i]; }
  Value Between(size_t i, double alpha) const override {
    return InterpolateSamples(*this, i, alpha);
  }
  bool BlockedAt(size_t i) const override { return values_[i].is_block(); }
  bool MayHoldEdits() const override { return holds_edits_; }
  bool InMemory() const override { return true; }

 private:
  static bool HoldsEdits(const std::vector<Value>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const Value& v) { return v.type() == ValueType::kArrayEdit; });
  }

  const std::vector<Value> values_;
  const bool holds_edits_ = HoldsEdits(values_);
};

}  // namespace

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

}  // namespace stagedoor
