#include "client/sdk/array_exchange.h"

#include <limits>
#include <memory>

namespace stagedoor::sdk {

std::vector<double> NumericTimes(const v1::TimeSelection& times) {
  std::vector<double> numbers;
  if (!times.ranges().empty()) return numbers;
  for (const v1::TimeCode& time : times.times()) {
    numbers.push_back(time.has_numeric() ? time.numeric()
                                         : std::numeric_limits<double>::quiet_NaN());
  }
  numbers.insert(numbers.end(), times.frames().begin(), times.frames().end());
  return numbers;
}

void ArrayExchange::Expect(const google::protobuf::RepeatedPtrField<std::string>& paths,
                           const v1::TimeSelection& times) {
  if (!cache_.enabled() || cache_.held_bytes() == 0) return;
  const std::vector<double> numbers = NumericTimes(times);
  for (const std::string& path : paths) cache_.Expect(path, numbers, &expected_);
}

void ArrayExchange::Expect(const google::protobuf::RepeatedPtrField<std::string>& paths,
                           const v1::TimeInterval& interval) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!cache_.enabled() || cache_.held_bytes() == 0) return;
  const double start = interval.has_start() ? interval.start() : -kInfinity;
  const double end = interval.has_end() ? interval.end() : kInfinity;
  for (const std::string& path : paths) cache_.ExpectBetween(path, start, end, &expected_);
}

void ArrayExchange::Take(const std::string& path, double time, v1::Value* value) {
  if (!cache_.enabled() || !value->has_array_value()) return;
  v1::PackedValues* array = value->mutable_array_value();
  const std::string digest = array->digest();
  if (digest.empty()) return;
  SharedArray held;
  if (array->unchanged()) {
    const auto at = expected_.find(digest);
    if (at == expected_.end()) return;  // the daemon is wrong: Value::Get says so
    held = cache_.Store(at->second);
  } else {
    auto taken = std::make_shared<v1::PackedValues>();
    taken->Swap(array);
    array->set_digest(digest);
    array->set_unchanged(true);
    held = cache_.Store(std::move(taken));
  }
  cache_.Remember(path, time, digest);
  arrays_.emplace(digest, std::move(held));
}

}  // namespace stagedoor::sdk
