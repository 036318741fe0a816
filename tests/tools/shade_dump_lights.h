#ifndef STAGEDOOR_TESTS_TOOLS_SHADE_DUMP_LIGHTS_H_
#define STAGEDOOR_TESTS_TOOLS_SHADE_DUMP_LIGHTS_H_

#include "base/request_context.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Prints the lights of a stage, those at and below each prim, and those that each prim is linked
// to, as lines of JSON.
void PrintLights(RequestContext& context, const Stage& stage);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_SHADE_DUMP_LIGHTS_H_
