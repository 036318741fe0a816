#ifndef STAGEDOOR_CLIENT_CLI_MAN_PAGE_H_
#define STAGEDOOR_CLIENT_CLI_MAN_PAGE_H_

#include <string>

namespace stagedoor {

// The manual page stagedoor(1) from the table of commands, in the language of man (roff with the
// macros of man(7)).
std::string ManPage();

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_MAN_PAGE_H_
