#include "client/cli/inspector_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/daemon_program.h"
#include "client/cli/command_table.h"
#include "client/cli/connection.h"

namespace stagedoor {
namespace {

// Flags that the inspector has under the same names; the file names among them are those of this
// machine, and relative ones are right, since the inspector runs in the same directory.
constexpr std::string_view kPassedOn[] = {"address",
                                          "tls",
                                          "tls-ca",
                                          "tls-certificate",
                                          "tls-key",
                                          "tls-server-name",
                                          "proxy",
                                          "timeout",
                                          "connect-timeout",
                                          "token-file",
                                          "join",
                                          "load",
                                          "port",
                                          "listen",
                                          "no-browser",
                                          "url",
                                          "no-token",
                                          "allow-origin"};

constexpr std::string_view kEmbeddedOnly[] = {"schema-path", "allow-url", "allow-network",
                                              "cache-dir"};

}  // namespace

absl::StatusOr<std::vector<std::string>> InspectorArguments(const CommandLine& line) {
  if (UsesEmbeddedServer(line)) {
    return UsageError("the inspector needs a daemon: leave out --embedded");
  }
  for (const std::string_view name : kEmbeddedOnly) {
    if (line.Flag(name)) return UsageError(Concat("--", name, " is for --embedded only"));
  }
  std::vector<std::string> arguments;
  for (const std::string_view name : kPassedOn) {
    if (!line.Flag(name)) continue;
    if (FindOption(name)->value.empty()) {
      arguments.push_back(Concat("--", name));
      continue;
    }
    for (const std::string& value : line.Options(name)) {
      arguments.push_back(Concat("--", name, "=", value));
    }
  }
  if (line.arguments().empty()) return arguments;
  arguments.emplace_back("--");
  arguments.push_back(AbsoluteIdentifier(line.arguments().front()));
  return arguments;
}

absl::Status RunInspector(const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(std::vector<std::string> arguments, InspectorArguments(line));
  std::string program = FindProgram(kInspectorProgram, DaemonProgramFolders());
  if (program.empty()) {
    return NotFoundError("cannot find the program ", kInspectorProgram,
                         "; install it with: pip install 'stagedoor[inspect]'");
  }
  SD_RETURN_IF_ERROR(output.Flush());
  std::vector<char*> words = {program.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  return NotFoundError("cannot run ", Quoted(program), ": ", std::strerror(errno));
}

}  // namespace stagedoor
