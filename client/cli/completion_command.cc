#include <string>

#include "base/status_macros.h"
#include "client/cli/commands.h"
#include "client/cli/man_page.h"
#include "client/cli/shell_completion.h"

namespace stagedoor {

absl::Status RunCompletion(const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::string script, CompletionScript(line.arguments().front()));
  output.Write(script);
  return absl::OkStatus();
}

absl::Status RunMan(const CommandLine&, Output& output) {
  output.Write(ManPage());
  return absl::OkStatus();
}

}  // namespace stagedoor
