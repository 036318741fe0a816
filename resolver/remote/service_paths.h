#ifndef STAGEDOOR_RESOLVER_REMOTE_SERVICE_PATHS_H_
#define STAGEDOOR_RESOLVER_REMOTE_SERVICE_PATHS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor {

// Text functions on the paths that are exchanged with a resolver service. Thread-safe.

// INVALID_ARGUMENT if the protocol cannot carry the path: empty, too long, with a NUL character, or
// not UTF-8.
absl::Status CheckServicePath(std::string_view path);

// Whether both have the same URI scheme, or none.
bool SameScheme(std::string_view a, std::string_view b);

// Whether a service of `scheme` may answer `identifier` for `asset_path` (resolver.proto): it has
// the scheme, or is the asset path itself.
bool IsPossibleIdentifier(std::string_view scheme, std::string_view asset_path,
                          std::string_view identifier);

// The number of the first paths that fit into one bulk request; at least one.
size_t FittingServiceItems(std::span<const std::string> paths);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_SERVICE_PATHS_H_
