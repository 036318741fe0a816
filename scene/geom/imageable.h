// Visibility and purpose of prims (UsdGeomImageable). Thread-safe.
#ifndef STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_
#define STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time.h"

namespace stagedoor {

// False when the prim's own visibility is "invisible" at that time.
bool IsVisibleItself(RequestContext& context, const Prim& prim, Time time);

// "invisible" when the prim or an ancestor is, else "inherited".
Token ComputeVisibility(RequestContext& context, const Prim& prim, Time time);

struct PurposeInfo {
  Token purpose;             // default, render, proxy, guide, or whatever else is authored
  bool inheritable = false;  // authored on the prim or inherited, so descendants inherit it
};
// From the parent's; that of the pseudo-root is {default, false}.
PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim,
                               const PurposeInfo& parent);
PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_
