#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_RENDER_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_RENDER_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Prints what is rendered of a RenderSettings or RenderPass prim; nothing for other prims.
void PrintRender(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_RENDER_H_
