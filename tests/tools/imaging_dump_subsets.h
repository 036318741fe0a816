#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SUBSETS_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SUBSETS_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints the subsets of a prim and their families, and the segments of curves.
void PrintSubsets(RequestContext& context, const Prim& prim, const Times& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SUBSETS_H_
