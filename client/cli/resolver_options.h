#ifndef STAGEDOOR_CLIENT_CLI_RESOLVER_OPTIONS_H_
#define STAGEDOOR_CLIENT_CLI_RESOLVER_OPTIONS_H_

#include "absl/status/status.h"
#include "client/cli/command_line.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor {

// Fills the resolver context of a request from --search-path, --pin, --pin-file and --layer; leaves
// it unset if none of them is given. Reads the files of --layer. Errors: usage errors; NOT_FOUND
// for a file that cannot be read; RESOURCE_EXHAUSTED for one that is too large to send.
absl::Status SetResolverContext(const CommandLine& line, v1::OpenStageRequest& request);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_RESOLVER_OPTIONS_H_
