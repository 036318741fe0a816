#include "scene/frame/frame_states.h"

#include <vector>

#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"

namespace stagedoor {

absl::StatusOr<FrameState> FrameStates::Enter(const FrameState& above, const Prim& prim,
                                              const PrimTraits& traits) {
  FrameState state = above;
  state.path_hash = HashOfChild(above.path_hash, prim.name().text());
  state.purpose = CombinePurpose(traits.purpose, above.purpose);
  if (traits.draw_mode) state.draw_mode = *traits.draw_mode;
  if (traits.has_bindings) {
    state.bindings = materials_.At(above.bindings, prim, traits.binds_collections);
  }
  if (traits.has_children) {
    state.primvars = primvars_.Below(above.primvars, prim, traits.primvars);
    SD_RETURN_IF_ERROR(skins_.Enter(above.skins, prim, traits.type, &state.skins));
  }
  state.moves = traits.moves || (above.moves && !traits.resets_xform);
  state.blinks |= traits.blinks;
  state.is_hidden |= traits.hides;
  return state;
}

uint32_t FrameStates::PrimvarsAt(const FrameState& above, const Prim& prim,
                                 const PrimTraits& traits) {
  // Elsewhere no other prim can have the geometry.
  if (!prim.data().Has(kPrimInPrototype)) return above.primvars;
  return primvars_.Below(above.primvars, prim, traits.primvars);
}

absl::StatusOr<FrameState> FrameStates::At(const Prim& prim) {
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) chain.push_back(at);
  SD_RETURN_IF_ERROR(context_.Spend(chain.size()));
  FrameState state;
  state.purpose.purpose = Geom().default_;
  for (; !chain.empty(); chain.pop_back()) {
    SD_ASSIGN_OR_RETURN(state, Enter(state, chain.back(), traits_.Of(chain.back())));
  }
  return state;
}

}  // namespace stagedoor
