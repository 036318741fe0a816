#include "scene/values/time_code_range.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace stagedoor {
namespace {

absl::Status Malformed(std::string_view spec, std::string_view why) {
  std::string message = "invalid frame specification \"";
  message.append(spec).append("\": ").append(why);
  return absl::InvalidArgumentError(message);
}

// Removes a number from the front of *text and returns it.
std::optional<double> TakeNumber(std::string_view* text) {
  if (!text->empty() && text->front() == '+') text->remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

}  // namespace

absl::StatusOr<TimeCodeRange> TimeCodeRange::Create(double first, double last) {
  return Create(first, last, last < first ? -1 : 1);
}

absl::StatusOr<TimeCodeRange> TimeCodeRange::Create(double first, double last, double stride) {
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(stride)) {
    return absl::InvalidArgumentError("invalid time range: times and stride must be finite");
  }
  if (stride == 0) return absl::InvalidArgumentError("invalid time range: the stride is zero");
  if ((stride > 0 && last < first) || (stride < 0 && last > first)) {
    return absl::InvalidArgumentError(
        "invalid time range: the stride leads away from the last time");
  }
  // Adding the stride before dividing lets 0:0.3x0.1 reach its end, as it does in OpenUSD.
  const double count = std::floor((last - first + stride) / stride);
  if (!(count <= static_cast<double>(kMaxSize))) {
    return absl::ResourceExhaustedError("time range has more than 2^32 times; use a larger stride");
  }
  TimeCodeRange range;
  range.first_ = first;
  range.stride_ = stride;
  range.size_ = count < 1 ? 1 : static_cast<uint64_t>(count);
  return range;
}

absl::StatusOr<TimeCodeRange> TimeCodeRange::Parse(std::string_view spec) {
  std::string_view rest = spec;
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  if (rest.empty()) return TimeCodeRange();
  const std::optional<double> first = TakeNumber(&rest);
  if (!first) return Malformed(spec, "expected a number");
  if (rest.empty()) return Create(*first, *first);
  if (rest.front() != ':') return Malformed(spec, "expected ':' after the first time");
  rest.remove_prefix(1);
  const std::optional<double> last = TakeNumber(&rest);
  if (!last) return Malformed(spec, "expected a number after ':'");
  if (rest.empty()) return Create(*first, *last);
  if (rest.front() != 'x' && rest.front() != ':') {
    return Malformed(spec, "expected 'x' and a stride after the last time");
  }
  rest.remove_prefix(1);
  const std::optional<double> stride = TakeNumber(&rest);
  if (!stride || !rest.empty()) return Malformed(spec, "the stride is not a number");
  return Create(*first, *last, *stride);
}

}  // namespace stagedoor
