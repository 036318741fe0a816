#ifndef STAGEDOOR_BASE_TESTING_SHELL_COMMAND_H_
#define STAGEDOOR_BASE_TESTING_SHELL_COMMAND_H_

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace stagedoor {

// A shell command that runs concurrently with the test.
class ShellCommand {
 public:
  explicit ShellCommand(std::string_view command);
  ~ShellCommand();
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  // Waits for its end. Returns the exit status, or minus the signal that ended it, and what it
  // printed to both standard streams unless it redirects them. Call it at most once.
  std::pair<int, std::string> Wait();

 private:
  std::FILE* pipe_;  // null after its end
};

// Runs a shell command. Returns what ShellCommand::Wait does.
std::pair<int, std::string> RunShell(std::string_view command);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_SHELL_COMMAND_H_
