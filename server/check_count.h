#ifndef STAGEDOOR_SERVER_CHECK_COUNT_H_
#define STAGEDOOR_SERVER_CHECK_COUNT_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor::server {

// RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) if `count` exceeds `most`. `what` is the plural noun for
// the message: "paths".
absl::Status CheckCount(size_t count, size_t most, std::string_view what);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CHECK_COUNT_H_
