#ifndef STAGEDOOR_CLIENT_CLI_GLOB_H_
#define STAGEDOOR_CLIENT_CLI_GLOB_H_

#include <string_view>

namespace stagedoor {

// Whether the whole `text` matches a pattern of the shell: * stands for any characters, ? for one,
// [a-z] for one of a set, [!a-z] for one that is not in it; \ takes the meaning from the next
// character. A [ without ] stands for itself. Characters are those of UTF-8, but sets compare
// bytes. Takes time proportional to the product of the lengths at most.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_GLOB_H_
