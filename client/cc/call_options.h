#ifndef STAGEDOOR_CLIENT_CC_CALL_OPTIONS_H_
#define STAGEDOOR_CLIENT_CC_CALL_OPTIONS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/cancellation.h"

namespace stagedoor {

// The settings of one call.
struct CallOptions {
  // Deadline of the call, retries included. Default: ClientOptions::timeout.
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  // If set, cancels the call. May be shared by several calls.
  std::shared_ptr<Cancellation> cancellation = nullptr;
  // Sent with the call, for example {{"x-request-id", "frame-12"}} or a "traceparent", by which the
  // daemon's log finds it again. INVALID_ARGUMENT for keys other than lower-case letters, digits,
  // "-", "_" and ".", keys that begin with "grpc-" or end in "-bin", and values that are not
  // printable ASCII. A query with metadata does not travel together with others.
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CALL_OPTIONS_H_
