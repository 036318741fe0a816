#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_TOPOLOGY_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_TOPOLOGY_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints how the points of a prim make up geometry.
void PrintTopology(RequestContext& context, const Prim& prim, const Times& times);

// Prints what there is at and below a prim; for a root prim, also what there is in the whole stage.
void PrintStatistics(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_TOPOLOGY_H_
