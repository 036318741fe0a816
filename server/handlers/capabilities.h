#ifndef STAGEDOOR_SERVER_HANDLERS_CAPABILITIES_H_
#define STAGEDOOR_SERVER_HANDLERS_CAPABILITIES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "resolver/backend_info.h"

namespace stagedoor::server {

// The part of a daemon's configuration that GetCapabilities reports, beside its limits and layer
// formats.
struct Capabilities {
  size_t max_request_bytes = 0;
  bool reflection = false;
  std::vector<BackendInfo> backends;
  std::string query_socket;  // empty if there is none
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CAPABILITIES_H_
