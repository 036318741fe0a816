#ifndef STAGEDOOR_RESOLVER_REMOTE_RESOLVER_SERVICE_OPTIONS_H_
#define STAGEDOOR_RESOLVER_REMOTE_RESOLVER_SERVICE_OPTIONS_H_

#include <chrono>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor {

// How to reach a resolver service (docs/resolver_service.md), and for how long to try.
struct ResolverServiceOptions {
  // "HOST:PORT" or "unix:PATH".
  std::string address;
  // The URI scheme that the service serves, without "://". Its answers must have it. Empty if the
  // service is asked about all paths that no other backend serves.
  std::string scheme;
  // Whether the service, if it has a scheme, may resolve identifiers to absolute paths of files of
  // this machine. What may be read of them is decided by FileResolver and the access scope.
  bool may_name_files = false;
  // How long to wait for an answer, and for each message of a stream; for less if the deadline of
  // the request is earlier.
  std::chrono::milliseconds answer_timeout{30000};
  // Maximum number of attempts of a call that fails with UNAVAILABLE. The backoff between them
  // doubles from the initial to the maximum one.
  int max_attempts = 4;
  std::chrono::milliseconds initial_backoff{100};
  std::chrono::milliseconds max_backoff{2000};
};

// INVALID_ARGUMENT, with the forms that are possible, if `address` is not the address of a service.
absl::Status CheckServiceAddress(std::string_view address);

// INVALID_ARGUMENT if `scheme` is neither empty nor a URI scheme in lower case.
absl::Status CheckServiceScheme(std::string_view scheme);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_RESOLVER_SERVICE_OPTIONS_H_
