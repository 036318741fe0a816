#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_BOUNDS_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_BOUNDS_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints the bounds of a prim, of the instances of a point instancer, and the prim's extentsHint.
void PrintBounds(RequestContext& context, const Prim& prim, const Times& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_BOUNDS_H_
