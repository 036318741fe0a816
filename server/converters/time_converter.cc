#include "server/converters/time_converter.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/time_code_range.h"
#include "server/converters/set_oneof.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

absl::Status InvalidTime(std::string_view message) {
  return WithReason(InvalidArgumentError(message), v1::ERROR_REASON_INVALID_TIME);
}

absl::Status TooMany(size_t max_times) {
  return WithReason(ResourceExhaustedError("the request has more than ", max_times, " times"),
                    v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

absl::Status AppendOneRange(RequestContext& context, std::string_view text, size_t max_times,
                            std::vector<TimeCode>* times) {
  const absl::StatusOr<TimeCodeRange> range = TimeCodeRange::Parse(text);
  if (absl::IsResourceExhausted(range.status())) return TooMany(max_times);
  if (!range.ok()) return InvalidTime(Message(range.status()));
  if (range->empty()) return InvalidTime("a frame range is empty");
  if (range->size() > max_times - std::min(max_times, times->size())) return TooMany(max_times);
  SD_RETURN_IF_ERROR(context.Reserve(range->size() * sizeof(TimeCode), "the times of a request"));
  for (uint64_t i = 0; i < range->size(); ++i) times->push_back(TimeCode::At((*range)[i]));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TimeCode> ParseTimeCode(const v1::TimeCode& time) {
  switch (time.kind_case()) {
    case v1::TimeCode::kNumeric:
      if (std::isnan(time.numeric())) return InvalidTime("a time is NaN");
      return TimeCode::At(time.numeric());
    case v1::TimeCode::kDefaultTime:
      return TimeCode::Default();
    case v1::TimeCode::kEarliest:
      return TimeCode::Earliest();
    case v1::TimeCode::kPreTime:
      if (std::isnan(time.pre_time())) return InvalidTime("a time is NaN");
      return TimeCode::PreTime(time.pre_time());
    case v1::TimeCode::KIND_NOT_SET:
      break;
  }
  return InvalidTime("a time must be numeric, default_time, earliest or pre_time");
}

absl::Status AppendFrameRange(RequestContext& context, std::string_view text, size_t max_times,
                              std::vector<TimeCode>* times) {
  for (;;) {
    const size_t comma = text.find(',');
    SD_RETURN_IF_ERROR(AppendOneRange(context, text.substr(0, comma), max_times, times));
    if (comma == std::string_view::npos) return absl::OkStatus();
    text.remove_prefix(comma + 1);
  }
}

absl::StatusOr<std::vector<TimeCode>> ParseTimes(RequestContext& context,
                                                 const v1::TimeSelection& selection,
                                                 size_t max_times) {
  const size_t given =
      static_cast<size_t>(selection.times_size()) + static_cast<size_t>(selection.frames_size());
  if (given > max_times) return TooMany(max_times);
  std::vector<TimeCode> times;
  SD_RETURN_IF_ERROR(context.Reserve(given * sizeof(TimeCode), "the times of a request"));
  times.reserve(given);
  for (const v1::TimeCode& code : selection.times()) {
    SD_ASSIGN_OR_RETURN(const TimeCode time, ParseTimeCode(code));
    times.push_back(time);
  }
  for (const double frame : selection.frames()) {
    if (std::isnan(frame)) return InvalidTime("a frame is NaN");
    times.push_back(TimeCode::At(frame));
  }
  for (const std::string& range : selection.ranges()) {
    SD_RETURN_IF_ERROR(AppendFrameRange(context, range, max_times, &times));
  }
  if (times.empty()) return InvalidTime("the request has no times");
  return times;
}

void FillTimeCode(TimeCode time, v1::TimeCode* out) {
  if (time.is_default()) {
    SetOneof(out, &v1::TimeCode::set_allocated_default_time);
  } else if (time.is_earliest()) {
    SetOneof(out, &v1::TimeCode::set_allocated_earliest);
  } else if (time.is_pre_time()) {
    out->set_pre_time(time.value());
  } else {
    out->set_numeric(time.value());
  }
}

absl::StatusOr<TimeRange> ParseInterval(const v1::TimeInterval& interval) {
  TimeRange range;
  if (interval.has_start()) range.first = interval.start();
  if (interval.has_end()) range.last = interval.end();
  if (std::isnan(range.first) || std::isnan(range.last)) {
    return InvalidTime("an end of the interval is NaN");
  }
  range.first_open = interval.start_open();
  range.last_open = interval.end_open();
  return range;
}

Interpolation ParseInterpolation(v1::Interpolation interpolation, Interpolation otherwise) {
  switch (interpolation) {
    case v1::INTERPOLATION_LINEAR:
      return Interpolation::kLinear;
    case v1::INTERPOLATION_HELD:
      return Interpolation::kHeld;
    default:
      return otherwise;
  }
}

}  // namespace stagedoor::server
