#ifndef STAGEDOOR_SCENE_LOD_LOD_OVERRIDE_H_
#define STAGEDOOR_SCENE_LOD_LOD_OVERRIDE_H_

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Overrides of levels of detail. Correspond to OpenUSD's UsdLodOverrideAPI.
struct LodOverride {
  // noOverride, indexedLOD, noLOD, allLOD or another authored token but "inherited".
  Token mode;
  float index = 0;  // of indexedLOD; not limited to the levels that exist
  Prim prim;        // whose opinion it is; invalid if there is none
};

// The override that the closest prim has, the prim itself or one above it, whose mode is not
// inherited. An index without a value is inherited too. Corresponds to
// UsdLodOverrideAPI::ComputeLODOverride.
LodOverride ComputeLodOverride(RequestContext& context, const Prim& prim, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LOD_LOD_OVERRIDE_H_
