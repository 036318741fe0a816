#include "client/sdk/times.h"

#include <utility>

namespace stagedoor::sdk {

TimeCode TimeCode::Default() {
  TimeCode code;
  code.time_.mutable_default_time();
  return code;
}

TimeCode TimeCode::Earliest() {
  TimeCode code;
  code.time_.mutable_earliest();
  return code;
}

TimeCode TimeCode::PreTime(double time) {
  TimeCode code;
  code.time_.set_pre_time(time);
  return code;
}

Times::Times(std::span<const TimeCode> times) {
  for (const TimeCode& time : times) *selection_.add_times() = time.message();
}

Times Times::Range(std::string range) {
  Times times;
  times.selection_.add_ranges(std::move(range));
  return times;
}

}  // namespace stagedoor::sdk
