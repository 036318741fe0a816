#ifndef STAGEDOOR_TESTS_TOOLS_SHADE_DUMP_NETWORKS_H_
#define STAGEDOOR_TESTS_TOOLS_SHADE_DUMP_NETWORKS_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Prints what a prim is as a shader, where its inputs and outputs have their values from, and if it
// is a material, its terminals and networks, as lines of JSON.
void PrintNetworks(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_SHADE_DUMP_NETWORKS_H_
