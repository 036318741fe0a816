#include "scene/values/retiming.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "scene/values/array.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/spline.h"
#include "scene/values/spline_pieces.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

Dictionary RetimeDictionary(const Dictionary& dictionary, const LayerOffset& offset) {
  Dictionary result = dictionary;
  for (const auto& [key, value] : dictionary) {
    if (HoldsTimes(value)) result.Set(key, Retime(value, offset));
  }
  return result;
}

TimeCodeValue RetimeOne(TimeCodeValue time, const LayerOffset& offset) {
  return {offset.Apply(time.value)};
}
Duration RetimeOne(Duration d, const LayerOffset& offset) { return {d.value * offset.scale}; }

template <typename T>
Array<T> RetimeArray(const Array<T>& array, const LayerOffset& offset) {
  T* out;
  auto result = Array<T>::Uninitialized(array.size(), &out);
  for (size_t i = 0; i < array.size(); ++i) out[i] = RetimeOne(array[i], offset);
  return result;
}

ArrayEdit RetimeEdit(ArrayEdit edit, const LayerOffset& offset) {
  for (ArrayEditStep& step : edit.steps) step.literal = Retime(step.literal, offset);
  return edit;
}

Value RetimeSamples(const TimeSamples& samples, const LayerOffset& offset) {
  std::vector<std::pair<double, Value>> result;
  result.reserve(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    result.emplace_back(offset.Apply(samples.times()[i]), Retime(samples.At(i), offset));
  }
  return Value::FromSamples(MakeTimeSamples(std::move(result)));
}

}  // namespace

bool HoldsTimes(const Value& value) {
  switch (value.type()) {
    case ValueType::kTimeCode:
    case ValueType::kDuration:
    case ValueType::kDictionary:
    case ValueType::kTimeSamples:
    case ValueType::kSpline:
    case ValueType::kArrayEdit:
      return true;
    default:
      return false;
  }
}

Value Retime(const Value& value, const LayerOffset& offset) {
  if (offset.IsIdentity()) return value;
  if (const auto* time = value.Get<TimeCodeValue>()) return Value(RetimeOne(*time, offset));
  if (const auto* duration = value.Get<Duration>()) return Value(RetimeOne(*duration, offset));
  if (const auto* all = value.Get<Array<Duration>>()) return Value(RetimeArray(*all, offset));
  if (const auto* times = value.Get<Array<TimeCodeValue>>())
    return Value(RetimeArray(*times, offset));
  if (const auto* dictionary = value.Get<Dictionary>()) {
    return Value(RetimeDictionary(*dictionary, offset));
  }
  if (const auto* spline = value.Get<Spline>()) return Value(MapSpline(*spline, offset));
  if (const auto* samples = value.samples()) return RetimeSamples(*samples, offset);
  if (const auto* edit = value.Get<ArrayEdit>()) return Value(RetimeEdit(*edit, offset));
  return value;
}

}  // namespace stagedoor
