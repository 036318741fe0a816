#ifndef STAGEDOOR_SERVER_QUERIES_CLOSED_INTERVAL_H_
#define STAGEDOOR_SERVER_QUERIES_CLOSED_INTERVAL_H_

#include "absl/status/statusor.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {

// The stage times from `first` to `last`, both included.
struct ClosedInterval {
  double first = 0;
  double last = 0;

  bool empty() const { return first > last; }
};

// The times in an interval; see ParseInterval.
absl::StatusOr<ClosedInterval> ParseClosedInterval(const v1::TimeInterval& interval);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_CLOSED_INTERVAL_H_
