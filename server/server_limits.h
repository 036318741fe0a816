#ifndef STAGEDOOR_SERVER_SERVER_LIMITS_H_
#define STAGEDOOR_SERVER_SERVER_LIMITS_H_

#include <algorithm>
#include <cstddef>

namespace stagedoor::server {

// Limits of one request. Beyond them it fails with RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE).
struct ServerLimits {
  size_t max_paths = 1000000;           // per batch
  size_t max_times = 1000000;           // per batch, with ranges expanded
  size_t max_items = 10000000;          // paths × times
  size_t max_interval_samples = 10000;  // of one attribute in one interval
  size_t max_reply_bytes = 256 << 20;   // per unary reply
  size_t max_page_size = 1000;
  size_t max_session_layer_bytes = 64 << 20;
  // Limits for a resolver context, which fails with INVALID_ARGUMENT (INVALID_FIELD) instead.
  size_t max_search_paths = 64;
  size_t max_pins = 10000;
  size_t max_pin_files = 16;
  size_t max_context_layers = 256;
  size_t max_context_bytes = 64 << 20;  // of all its texts together
  size_t message_bytes = 1 << 20;       // target size of each message of a stream

  // The limit for one item of a stream, which is not split. gRPC cannot send messages of 2 GiB.
  size_t max_item_bytes() const {
    return std::min(2 * std::min(max_reply_bytes, size_t{1} << 30), size_t{2000} << 20);
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVER_LIMITS_H_
