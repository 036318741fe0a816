// Visibility and purpose of prims. Corresponds to OpenUSD's UsdGeomImageable. Thread-safe.
#ifndef STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_
#define STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// False if the prim's own attribute `visibility` is "invisible" at `time`, regardless of ancestors.
bool IsLocallyVisible(RequestContext& context, const Prim& prim, TimeCode time);

// "invisible" if the prim or an imageable ancestor is, else "inherited".
Token ComputeVisibility(RequestContext& context, const Prim& prim, TimeCode time);

struct PurposeInfo {
  Token purpose;             // default, render, proxy, guide or any other authored token
  bool inheritable = false;  // authored on the prim or an ancestor, so descendants inherit it
};
// Computes the purpose from that of the parent, or without it by walking all ancestors. For the
// pseudo-root, the purpose is {default, false}.
PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim,
                               const PurposeInfo& parent);
PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_
