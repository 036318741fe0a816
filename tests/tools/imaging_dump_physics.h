#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_PHYSICS_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_PHYSICS_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "tests/tools/imaging_record.h"

namespace stagedoor {

// Prints the mass of a rigid body, the groups and the material of a collider, and for /Looks the
// table of all collision groups.
void PrintPhysics(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_DUMP_PHYSICS_H_
