// The skin records of geom_dump.
#ifndef STAGEDOOR_TESTS_TOOLS_GEOM_DUMP_SKIN_H_
#define STAGEDOOR_TESTS_TOOLS_GEOM_DUMP_SKIN_H_

#include <string>
#include <utility>
#include <vector>

#include "scene/geom/bounds_cache.h"
#include "scene/stage/stage.h"

namespace stagedoor {

ExtentFunction SkelExtents();

std::string DumpSkin(RequestContext& context, const Stage& stage,
                     const std::vector<std::pair<std::string, Time>>& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_GEOM_DUMP_SKIN_H_
