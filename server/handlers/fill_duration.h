#ifndef STAGEDOOR_SERVER_HANDLERS_FILL_DURATION_H_
#define STAGEDOOR_SERVER_HANDLERS_FILL_DURATION_H_

#include <chrono>
#include <cstdint>

#include "google/protobuf/duration.pb.h"

namespace stagedoor::server {

inline void FillDuration(std::chrono::nanoseconds duration, google::protobuf::Duration* out) {
  out->set_seconds(duration.count() / 1000000000);
  out->set_nanos(static_cast<int32_t>(duration.count() % 1000000000));
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_FILL_DURATION_H_
