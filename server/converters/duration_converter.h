#ifndef STAGEDOOR_SERVER_CONVERTERS_DURATION_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_DURATION_CONVERTER_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "google/protobuf/duration.pb.h"

namespace stagedoor::server {

inline void FillDuration(std::chrono::nanoseconds duration, google::protobuf::Duration* out) {
  out->set_seconds(duration.count() / 1000000000);
  out->set_nanos(static_cast<int32_t>(duration.count() % 1000000000));
}

// A duration of a request. Clamped far above any limit, so that the conversion cannot overflow; one
// that is negative counts as less than a second.
inline std::chrono::nanoseconds ToNanoseconds(const google::protobuf::Duration& duration) {
  const int64_t seconds = std::clamp<int64_t>(duration.seconds(), 0, 1 << 30);
  return std::chrono::seconds(seconds) + std::chrono::nanoseconds(duration.nanos());
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_DURATION_CONVERTER_H_
