#ifndef STAGEDOOR_SCENE_FRAME_FRAME_STATES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_STATES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_id.h"
#include "scene/frame/frame_materials.h"
#include "scene/frame/frame_skins.h"
#include "scene/frame/inherited_primvars.h"
#include "scene/frame/prim_traits.h"
#include "scene/geom/imageable.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The state of a prim of a frame that its ancestors and itself determine. Carried down a walk, so
// that no prim looks at its ancestors. The default is that of the pseudo-root.
struct FrameState {
  uint64_t path_hash = kRootHash;
  PurposeInfo purpose;
  Token draw_mode;                                  // of the closest model that has one
  uint32_t primvars = InheritedPrimvars::kNone;     // that the children inherit
  uint32_t bindings = FrameMaterials::kNoBindings;  // of materials, in effect at the prim
  SkinScope skins;                                  // below the prim
  bool moves = false;                               // its world transform may vary
  bool blinks = false;                              // its visibility may vary
  bool is_hidden = false;                           // it is invisible at all times
};

// Derives the states of prims. Not thread-safe.
class FrameStates {
 public:
  // The arguments must outlive it.
  FrameStates(RequestContext& context, PrimTraitsTable* traits, FrameMaterials* materials)
      : context_(context),
        traits_(*traits),
        materials_(*materials),
        primvars_(context),
        skins_(context) {}

  FrameSkins& skins() { return skins_; }

  // The state at `prim`, for that of its parent. Errors: those of the context.
  absl::StatusOr<FrameState> Enter(const FrameState& above, const Prim& prim,
                                   const PrimTraits& traits);
  // The number of the primvars that distinguish the geometry of `prim` from that of the same prim
  // in other instances: those that it inherits, without those that it hides by its own. `above` is
  // the state of its parent.
  uint32_t PrimvarsAt(const FrameState& above, const Prim& prim, const PrimTraits& traits);
  // The state at any prim, or at the pseudo-root for an invalid one. Errors: those of the context.
  absl::StatusOr<FrameState> At(const Prim& prim);

 private:
  RequestContext& context_;
  PrimTraitsTable& traits_;
  FrameMaterials& materials_;
  InheritedPrimvars primvars_;
  FrameSkins skins_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_STATES_H_
