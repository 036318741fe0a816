#ifndef STAGEDOOR_RESOLVER_PATH_MAP_H_
#define STAGEDOOR_RESOLVER_PATH_MAP_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// Where the directories of other machines are on this one (--map-path): "Z:/show=/show",
// "\\server\show=/show", "/mnt/old=/mnt/new", "/show=s3://bucket/show". Immutable.
//
// A rule applies to its own path and to those below it; of several, the longest. Paths of Windows
// are compared without regard to case, and '\' is the same as '/' in them; "//server/share" is the
// same as "\\server\share".
class PathMap {
 public:
  PathMap() = default;  // maps nothing

  // Parses rules "FROM=TO". INVALID_ARGUMENT says what is wrong with one: FROM must be absolute,
  // here or on Windows, TO must be absolute or a URI, and no two rules may have the same FROM.
  static absl::StatusOr<PathMap> Parse(std::span<const std::string> rules);

  bool empty() const { return rules_.empty(); }
  // The path that a rule makes of `path`, or `path` if none applies.
  std::string Apply(std::string_view path) const;

 private:
  struct Rule {
    std::string from;  // without a trailing '/'; for comparisons, as Comparable() makes it
    std::string to;    // without a trailing '/'
  };

  std::vector<Rule> rules_;  // the longest first
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PATH_MAP_H_
