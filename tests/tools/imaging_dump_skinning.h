#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SKINNING_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SKINNING_H_

#include "base/request_context.h"
#include "scene/stage/stage.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints what clients need to deform the skinned prims of a stage themselves. False on failure.
bool PrintSkinningData(RequestContext& context, const Stage& stage, const Times& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SKINNING_H_
