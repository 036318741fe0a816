#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_LOD_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_LOD_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints the levels of a LOD root, and which of them to show for /Camera.
void PrintLod(RequestContext& context, const Prim& prim, const Times& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_LOD_H_
