#ifndef STAGEDOOR_CLIENT_CLI_REPEATABLE_RUN_H_
#define STAGEDOOR_CLIENT_CLI_REPEATABLE_RUN_H_

#include <functional>

#include "absl/status/status.h"
#include "client/cli/output.h"

namespace stagedoor {

// Runs a command, and runs it again from its beginning if its daemon was lost meanwhile, unless
// output has been written. Not more than three times: daemons behind a proxy may be lost one after
// another.
absl::Status RunRepeatably(Output& output, const std::function<absl::Status()>& run);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_REPEATABLE_RUN_H_
