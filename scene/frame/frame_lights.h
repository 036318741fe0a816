#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LIGHTS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LIGHTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"
#include "scene/frame/frame_states.h"
#include "scene/geom/prim_map.h"
#include "scene/lux/light_sets.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Appends the lights and light filters of a frame to a plan, sorted by path, with the skins that
// move them. Errors: those of the context.
absl::Status FindFrameLights(RequestContext& context, const FrameSelection& selection,
                             PrimTraitsTable& traits, FrameStates& states,
                             FrameMaterials& materials, FrameIds& ids, FramePlan* plan);

// Finds the sets of lights that prims are linked to. Not thread-safe.
class FrameLightSets {
 public:
  // `ids` and `sets` must outlive it. The set of all lights is added to `sets`, which must be
  // empty.
  FrameLightSets(RequestContext& context, const std::vector<FrameLight>& lights, FrameIds* ids,
                 std::vector<FrameLightSet>* sets);

  // The lights that illuminate a prim, and those that it casts shadows from. Meaningless once the
  // request is over.
  FrameId LightsOf(const Prim& prim) { return Find(light_links_, prim); }
  FrameId ShadowsOf(const Prim& prim) { return Find(shadow_links_, prim); }

 private:
  struct Links {
    LightSets sets;
    std::vector<FrameId> ids;  // by the number of the set
  };

  FrameId Find(Links& links, const Prim& prim);
  FrameId IdOf(const std::vector<uint32_t>& lights);

  std::vector<FrameId> lights_;  // the ids by their indices in LightSets
  FrameIds& ids_;
  std::vector<FrameLightSet>& sets_;
  Reservation reserved_;
  std::map<std::vector<FrameId>, FrameId> known_;
  Links light_links_, shadow_links_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LIGHTS_H_
