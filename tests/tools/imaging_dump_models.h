#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_MODELS_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_MODELS_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints the draw mode of a prim, and its constraint targets in world space.
void PrintModel(RequestContext& context, const Prim& prim, const Times& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_MODELS_H_
