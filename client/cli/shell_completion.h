#ifndef STAGEDOOR_CLIENT_CLI_SHELL_COMPLETION_H_
#define STAGEDOOR_CLIENT_CLI_SHELL_COMPLETION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace stagedoor {

// The script that completes the words of the command in a shell, "bash", "zsh" or "fish", from the
// table of commands. Any other is a usage error.
absl::StatusOr<std::string> CompletionScript(std::string_view shell);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SHELL_COMPLETION_H_
