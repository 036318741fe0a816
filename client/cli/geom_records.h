#ifndef STAGEDOOR_CLIENT_CLI_GEOM_RECORDS_H_
#define STAGEDOOR_CLIENT_CLI_GEOM_RECORDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cc/client.h"
#include "client/cli/output.h"
#include "client/cli/stage_options.h"

namespace stagedoor {

// Prints the geom records of the prims, in order, at the plain times (see TimeArgument) among
// `times`.
absl::Status PrintGeomRecords(Client& client, const v1::StageRef& stage,
                              const std::vector<std::string>& paths,
                              const std::vector<TimeArgument>& times, JsonWriter& json,
                              Output& output);

// Prints the skin records of all skinned prims of the stage, at the plain times.
absl::Status PrintSkinRecords(Client& client, const v1::StageRef& stage,
                              const std::vector<TimeArgument>& times, JsonWriter& json,
                              Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_GEOM_RECORDS_H_
