#ifndef STAGEDOOR_CLIENT_CLI_PERF_CALLS_H_
#define STAGEDOOR_CLIENT_CLI_PERF_CALLS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"
#include "client/cli/load_run.h"

// The calls that `perf` makes.
namespace stagedoor {

// The subjects of the calls: prims and attributes of the stage, and its range of times.
struct PerfTargets {
  std::vector<std::string> prims, attributes;
  double first_time = 0, last_time = 0;
};

// Collects up to 10,000 prims below `roots` (all if there are none) and 10,000 of their attributes,
// those whose names match one of `globs` if there are any. Arrays are included only with `arrays`.
// NOT_FOUND if there are no attributes.
absl::StatusOr<PerfTargets> FindPerfTargets(Client& client, const v1::OpenStageRequest& open,
                                            const std::vector<std::string>& roots,
                                            const std::vector<std::string>& globs, bool arrays);

// A kind of calls and how often to make them.
struct PerfShare {
  std::string name;
  double weight = 1;
};
// Parses --mix: "values=8,prim=1,open". A usage error for unknown names and weights that are not
// positive numbers.
absl::StatusOr<std::vector<PerfShare>> ParseMix(std::string_view text);

// The calls of one client. The arguments must outlive the operations.
struct PerfClient {
  Client& client;
  const v1::OpenStageRequest& open;
  const v1::StageRef stage;
  const PerfTargets& targets;
  size_t batch;  // attributes in a call
};
std::vector<LoadOperation> OperationsOf(const PerfClient& client,
                                        const std::vector<PerfShare>& mix);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PERF_CALLS_H_
