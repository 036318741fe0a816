#ifndef STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_
#define STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_

#include <optional>

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Visibility and purpose of prims. Corresponds to OpenUSD's UsdGeomImageable. Thread-safe.

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
// The two steps of this: what the prim itself authors, which may be the empty token, and what it
// has below such a parent.
std::optional<Token> AuthoredPurpose(RequestContext& context, const Prim& prim);
PurposeInfo CombinePurpose(std::optional<Token> authored, const PurposeInfo& parent);
PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim);

// The visibility for the purpose default, render, proxy or guide, as renderers take it into account
// when they draw prims of this purpose: "invisible" if ComputeVisibility is; else "visible" for
// default, and for others what the closest prim with VisibilityAPI authors, which may be any token.
// If none does, "invisible" for guide, and "inherited" for render and proxy: the renderer decides.
// UsdGeomImageable::ComputeEffectiveVisibility.
Token ComputeEffectiveVisibility(RequestContext& context, const Prim& prim, Token purpose,
                                 TimeCode time);

struct ProxyPrim {
  Prim proxy;        // invalid if there is none
  Prim render_prim;  // the prim whose proxyPrim names it; invalid if there is none
};
// Finds what may be drawn instead of a prim whose purpose is render: the target of `proxyPrim` of
// the prim that begins the subtree of this purpose. There is none if it has several targets, or its
// target another purpose than proxy. UsdGeomImageable::ComputeProxyPrim.
ProxyPrim ComputeProxyPrim(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_IMAGEABLE_H_
