#include "server/converters/time_converter.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/time_code_range.h"
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
  if (std::isnan(time.value())) return InvalidTime("a time is NaN");
  switch (time.kind()) {
    case v1::TimeCode::KIND_NUMERIC:
      return TimeCode::At(time.value());
    case v1::TimeCode::KIND_DEFAULT:
      return TimeCode::Default();
    case v1::TimeCode::KIND_EARLIEST:
      return TimeCode::Earliest();
    case v1::TimeCode::KIND_PRE_TIME:
      return TimeCode::PreTime(time.value());
    default:
      return WithReason(InvalidArgumentError("kind: a time must have a kind"),
                        v1::ERROR_REASON_INVALID_TIME,
                        {{"field", "kind"}, {"value", Concat(static_cast<int>(time.kind()))}});
  }
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
    out->set_kind(v1::TimeCode::KIND_DEFAULT);
  } else if (time.is_earliest()) {
    out->set_kind(v1::TimeCode::KIND_EARLIEST);
  } else {
    out->set_kind(time.is_pre_time() ? v1::TimeCode::KIND_PRE_TIME : v1::TimeCode::KIND_NUMERIC);
    out->set_value(time.value());
  }
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
