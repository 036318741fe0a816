#ifndef STAGEDOOR_SCENE_FRAME_FRAME_MATERIALS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_MATERIALS_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"
#include "scene/paths/path.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Finds the materials of a frame's prims.
//
// Instance proxies of a prim have the same material if the same relationships bind them, unless one
// of these binds the members of a collection, which depend on paths. So it is looked for once.
// Materials in instances of a prototype are one material. Not thread-safe.
class FrameMaterials {
 public:
  // The number of the bindings in effect where nothing is bound.
  static constexpr uint32_t kNoBindings = 0;

  // `ids` and `materials` must outlive it; `materials` must be empty.
  FrameMaterials(RequestContext& context, const Stage& stage, const FrameSelection& selection,
                 FrameIds* ids, std::vector<FrameMaterial>* materials);

  // The number of the bindings in effect at `prim`, if those above it have the number `above` and
  // the prim has bindings itself.
  uint32_t At(uint32_t above, const Prim& prim, bool binds_collections);
  // The material of a prim at which bindings with the number `bindings` are in effect; 0 if it has
  // none. Meaningless once the request is over.
  FrameId Find(const Prim& prim, uint32_t bindings);

 private:
  FrameId BoundTo(const Prim& prim);
  FrameId IdOf(Path path);

  using Place = std::pair<uint32_t, const PrimData*>;

  const Stage& stage_;
  const std::vector<std::string>& purposes_;
  FrameIds& ids_;
  std::vector<FrameMaterial>& materials_;
  Reservation reserved_;
  MaterialBindings bindings_;
  std::vector<bool> has_collections_;  // by the number of bindings
  std::map<Place, uint32_t> numbers_;
  std::map<Place, FrameId> of_proxies_;
  std::unordered_map<Path, FrameId> by_path_;
  std::unordered_map<const PrimData*, FrameId> by_data_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_MATERIALS_H_
