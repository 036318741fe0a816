#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SPACES_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SPACES_H_

#include <vector>

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Prints a prim's coordinate systems, color spaces, collections and, of a volume, fields.
void PrintSpaces(RequestContext& context, const Prim& prim, const std::vector<TimeCode>& times);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_SPACES_H_
