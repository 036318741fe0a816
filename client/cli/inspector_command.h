#ifndef STAGEDOOR_CLIENT_CLI_INSPECTOR_COMMAND_H_
#define STAGEDOOR_CLIENT_CLI_INSPECTOR_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/command_line.h"
#include "client/cli/output.h"

namespace stagedoor {

// The name of the inspector's program, which the extra `inspect` of the Python package installs.
inline constexpr char kInspectorProgram[] = "stagedoor-inspect";

// The arguments with which `stagedoor inspect [ROOT]` runs the inspector, without its name. A usage
// error for flags of a server inside the command, since the inspector is a program of its own.
absl::StatusOr<std::vector<std::string>> InspectorArguments(const CommandLine& line);

// `stagedoor inspect [ROOT]`: becomes the inspector. Returns only if that is not possible.
absl::Status RunInspector(const CommandLine& line, Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_INSPECTOR_COMMAND_H_
