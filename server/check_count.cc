#include "server/check_count.h"

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {

absl::Status CheckCount(size_t count, size_t most, std::string_view what) {
  if (count <= most) return absl::OkStatus();
  return WithReason(
      ResourceExhaustedError("the request has ", count, " ", what, "; the limit is ", most),
      v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

}  // namespace stagedoor::server
