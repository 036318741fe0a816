#ifndef STAGEDOOR_CLIENT_CC_HEALTH_H_
#define STAGEDOOR_CLIENT_CC_HEALTH_H_

#include <string>

#include "absl/status/status.h"
#include "client/cc/client_options.h"

namespace stagedoor {

// Asks the daemon at options.address, within options.timeout and without retries, whether it
// serves: as a whole, or a service by its full name ("stagedoor.v1.QueryService").
//
// UNAVAILABLE if no daemon answers; FAILED_PRECONDITION if the daemon is not serving, for example
// because it is stopping, or if the connection and the daemon do not agree about TLS; NOT_FOUND for
// a service that it does not have; INVALID_ARGUMENT for options that cannot be used.
absl::Status CheckHealth(const ClientOptions& options, const std::string& service = "");

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_HEALTH_H_
