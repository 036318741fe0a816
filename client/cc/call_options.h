#ifndef STAGEDOOR_CLIENT_CC_CALL_OPTIONS_H_
#define STAGEDOOR_CLIENT_CC_CALL_OPTIONS_H_

#include <chrono>
#include <memory>
#include <optional>

#include "client/cc/cancellation.h"

namespace stagedoor {

// The settings of one call.
struct CallOptions {
  // Deadline of the call, retries included. Default: ClientOptions::timeout.
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  // If set, cancels the call. May be shared by several calls.
  std::shared_ptr<Cancellation> cancellation = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CALL_OPTIONS_H_
