#ifndef STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_
#define STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace stagedoor {

// The error for a file that could not be opened or examined because of errno `error`:
// PERMISSION_DENIED, NOT_FOUND, or, if a retry may succeed, RESOURCE_EXHAUSTED or UNAVAILABLE.
absl::Status OpenError(const std::string& path, int error);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_
