#ifndef STAGEDOOR_CLIENT_CC_DAEMON_PROGRAM_H_
#define STAGEDOOR_CLIENT_CC_DAEMON_PROGRAM_H_

#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

// The first program of this name in `folders`; empty if none of them has it.
std::string FindProgram(std::string_view name, const std::vector<std::string>& folders);

// The first program `stagedoord` in `folders`; empty if none of them has it.
std::string FindDaemonProgram(const std::vector<std::string>& folders);

// Where programs are looked for: beside this program, in the `bin` that belongs to the library's
// `lib`, and then on the PATH. Relative folders of the PATH are left out: what is in them depends
// on where the program runs.
std::vector<std::string> DaemonProgramFolders();

// The absolute folders of a text like that of PATH.
std::vector<std::string> AbsoluteFolders(std::string_view path);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_DAEMON_PROGRAM_H_
