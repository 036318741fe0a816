#ifndef STAGEDOOR_RESOLVER_DIRECTORY_ERROR_H_
#define STAGEDOOR_RESOLVER_DIRECTORY_ERROR_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/cord.h"

namespace stagedoor {

inline constexpr char kDirectoryPayload[] = "stagedoor/directory";

// Marks the NOT_FOUND of a path that may be read but is a directory. OpenUSD resolves these like
// files; here they are no assets, because nothing can be read from them.
inline absl::Status AsDirectory(absl::Status status, std::string_view path) {
  status.SetPayload(kDirectoryPayload, absl::Cord(absl::string_view(path.data(), path.size())));
  return status;
}
// The path of the directory; none for other errors.
inline std::optional<std::string> DirectoryOf(const absl::Status& status) {
  const auto path = status.GetPayload(kDirectoryPayload);
  return path ? std::optional(std::string(*path)) : std::nullopt;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_DIRECTORY_ERROR_H_
