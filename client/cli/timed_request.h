#ifndef STAGEDOOR_CLIENT_CLI_TIMED_REQUEST_H_
#define STAGEDOOR_CLIENT_CLI_TIMED_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/command_line.h"
#include "client/cli/stage_options.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor {

// Makes the request of a command for the paths after its first argument, at the times of --times,
// by default the default time.
template <typename Request>
absl::StatusOr<Request> TimedRequest(const CommandLine& line) {
  Request request;
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times,
                      ParseTimes(line.Option("times").value_or("default")));
  for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
  for (size_t i = 1; i < line.arguments().size(); ++i) request.add_paths(line.arguments()[i]);
  return request;
}

// The path and time of an item of the reply to such a request.
struct TimedItem {
  std::string path;
  v1::TimeCode time;
};

// DATA_LOSS if the request has no such item.
template <typename Request>
absl::StatusOr<TimedItem> TimedItemOf(const Request& request, uint32_t item) {
  const auto times = static_cast<uint32_t>(request.times().times_size());
  if (times == 0 || item / times >= static_cast<uint32_t>(request.paths_size())) {
    return DataLossError("the daemon's reply is inconsistent");
  }
  return TimedItem{.path = request.paths(static_cast<int>(item / times)),
                   .time = request.times().times(static_cast<int>(item % times))};
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_TIMED_REQUEST_H_
