#ifndef STAGEDOOR_SERVER_STORE_STORE_UNAVAILABLE_H_
#define STAGEDOOR_SERVER_STORE_STORE_UNAVAILABLE_H_

#include <string_view>

#include "absl/status/status.h"
#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {

// UNAVAILABLE (STORE_UNAVAILABLE). `why` says what failed, with the address.
inline absl::Status StoreUnavailable(std::string_view why) {
  return WithReason(UnavailableError("the session store cannot be used: ", why, "; try again"),
                    v1::ERROR_REASON_STORE_UNAVAILABLE);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_STORE_UNAVAILABLE_H_
