#ifndef STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_
#define STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace stagedoor {

// What it means that a file could not be opened, or asked about, with errno `error`:
// PERMISSION_DENIED; RESOURCE_EXHAUSTED or UNAVAILABLE, if another try may succeed; or NOT_FOUND.
absl::Status OpenError(const std::string& path, int error);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_
