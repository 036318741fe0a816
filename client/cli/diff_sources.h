#ifndef STAGEDOOR_CLIENT_CLI_DIFF_SOURCES_H_
#define STAGEDOOR_CLIENT_CLI_DIFF_SOURCES_H_

#include <string>
#include <vector>

#include "client/cc/client.h"
#include "client/cli/difference.h"
#include "client/cli/stage_options.h"

// The sides that `diff` compares.
namespace stagedoor {

// The prims of a composed stage, also those of instances, with their metadata, properties and
// values at `times`. The client must outlive the source.
DiffSource StageSide(Client& client, const v1::StageRef& stage, std::vector<TimeArgument> times);

// The specs of a layer with their fields. The client must outlive the source.
DiffSource LayerSide(Client& client, const std::string& identifier);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_DIFF_SOURCES_H_
