#ifndef STAGEDOOR_CLIENT_CLI_GLOB_H_
#define STAGEDOOR_CLIENT_CLI_GLOB_H_

#include <string_view>

namespace stagedoor {

// Whether the whole `text` matches a pattern of the shell, as fnmatch(3) says: * stands for any
// characters, ? for one, [a-z] for one of a set, [!a-z] for one that is not in it; \ takes the
// meaning from the next character. A [ without ] stands for itself. Both are UTF-8. Patterns are
// those of the user of the command: with many *, fnmatch takes exponential time.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_GLOB_H_
