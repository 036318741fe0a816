#ifndef STAGEDOOR_TESTS_TOOLS_GEOM_DUMP_SKIN_H_
#define STAGEDOOR_TESTS_TOOLS_GEOM_DUMP_SKIN_H_

#include <string>
#include <utility>
#include <vector>

#include "scene/geom/bbox_cache.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The skin records of geom_dump.

ComputeExtentFunction SkelExtents();

std::string DumpSkin(RequestContext& context, const Stage& stage,
                     const std::vector<std::pair<std::string, TimeCode>>& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_GEOM_DUMP_SKIN_H_
