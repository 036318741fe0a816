#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PLANNER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PLANNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_geometries.h"
#include "scene/frame/frame_id.h"
#include "scene/frame/frame_lights.h"
#include "scene/frame/frame_materials.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_prototypes.h"
#include "scene/frame/frame_roots.h"
#include "scene/frame/frame_selection.h"
#include "scene/frame/frame_states.h"
#include "scene/frame/prim_traits.h"
#include "scene/geom/prim_map.h"
#include "scene/render/render_pass.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"

namespace stagedoor {

// Makes one plan: finds the lights, walks the roots and then the prototypes that it meets, and
// examines at last, in parallel, what varies. Internal to scene/frame.
//
// The walk is on one thread, so that ids and the prims that name shared objects are the same
// everywhere. For one plan; not thread-safe.
class FramePlanner {
 public:
  // The arguments must outlive it.
  FramePlanner(RequestContext& context, const Stage& stage, const FrameSelection& selection);

  // Errors: those of the context.
  absl::StatusOr<std::shared_ptr<FramePlan>> Make();

 private:
  // A prim on the walk, with its state and that of its parent.
  struct Visit {
    const Prim& prim;
    const PrimTraits& traits;
    const FrameState& above;
    const FrameState& state;
    uint32_t prototype;
    size_t depth;
  };

  absl::Status WalkPrototypes();
  absl::Status Walk(const Prim& root, uint32_t prototype);
  // Adds the row of a prim, if it is drawn. Returns whether its descendants are drawn where they
  // are.
  absl::StatusOr<bool> Draw(const Visit& visit);
  absl::Status AddRow(const Visit& visit, Token draw_mode);
  FrameId MakeRowId(const Visit& visit);
  absl::Status AddSkin(const Visit& visit, FramePrim* row, FrameGeometries::Place* place);
  absl::Status AddPrototypes(uint32_t geometry, uint32_t prototype);
  void AddSubsets(const Visit& visit);
  bool MayDrawAsPrototype(const Prim& root) const;
  // Reserves memory of the plan in advance, in blocks.
  absl::Status Charge(size_t bytes);

  void LinkLightsToRows();
  absl::Status FindVarying();
  void ListVarying();

  RequestContext& context_;
  const Stage& stage_;
  const FrameSelection& selection_;
  const std::shared_ptr<FramePlan> plan_;
  const Subtrees excluded_;
  TraversalBudget visits_;
  FrameIds ids_;
  PrimTraitsTable traits_;
  FrameMaterials materials_;
  FrameStates states_;
  FrameGeometries geometries_;
  FramePrototypes prototypes_;
  std::optional<FrameLightSets> light_sets_;
  std::optional<RenderPassMembership> pass_;
  PrimMap<FrameId> rows_of_lights_;
  std::vector<FrameState> way_;  // the states of the prim at each depth of the walk
  size_t uncharged_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PLANNER_H_
