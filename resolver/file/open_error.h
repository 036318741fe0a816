#ifndef STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_
#define STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace stagedoor {

// "EIO (Input/output error)".
std::string ErrorText(int error);

// Whether errno `error` says that the file is missing.
bool IsMissingFile(int error);
// Whether it says that reading the file is not permitted.
bool IsForbiddenFile(int error);

// The error for a file that could not be opened or examined because of errno `error`: NOT_FOUND or
// PERMISSION_DENIED if it is missing or forbidden. Everything else says nothing about the file and
// may pass, so it is UNAVAILABLE, with the name of the error.
absl::Status OpenError(const std::string& path, int error);
// The error for an open file whose content could not be read: UNAVAILABLE.
absl::Status ReadError(const std::string& path, int error);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_OPEN_ERROR_H_
