#include "base/testing/shell_command.h"

#include <sys/wait.h>

#include <cstdlib>

#include "base/strings.h"

namespace stagedoor {

ShellCommand::ShellCommand(std::string_view command)
    : pipe_(::popen(Concat("{ ", command, "; } 2>&1").c_str(), "r")) {
  if (pipe_ == nullptr) std::abort();
}

ShellCommand::~ShellCommand() {
  if (pipe_ != nullptr) ::pclose(pipe_);
}

std::pair<int, std::string> ShellCommand::Wait() {
  std::string output;
  for (int c; (c = std::fgetc(pipe_)) != EOF;) output.push_back(static_cast<char>(c));
  const int status = ::pclose(std::exchange(pipe_, nullptr));
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), std::move(output)};
}

std::pair<int, std::string> RunShell(std::string_view command) {
  return ShellCommand(command).Wait();
}

}  // namespace stagedoor
