#ifndef STAGEDOOR_RESOLVER_ACCESS_SECRET_FILE_H_
#define STAGEDOOR_RESOLVER_ACCESS_SECRET_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace stagedoor {

// Files that hold secrets. They are read whenever they are needed, because they may be replaced.
// Errors hold nothing of the content, and do not name the file.

inline constexpr size_t kMaxSecretFileBytes = size_t{1} << 20;

// The content of a regular file of up to kMaxSecretFileBytes. PERMISSION_DENIED otherwise.
absl::StatusOr<std::string> ReadSecretFile(const std::string& path);

// The first line of such a file, of up to 16 KiB of printable ASCII, which may be sent in a header
// field. PERMISSION_DENIED if it is empty or has other characters.
absl::StatusOr<std::string> ReadSecretLine(const std::string& path);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ACCESS_SECRET_FILE_H_
