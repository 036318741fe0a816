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
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"

namespace stagedoor {

// Makes one plan, some prims at a time: finds the lights, walks the roots and then the prototypes
// that it meets, and examines at last, in parallel, what varies. Internal to scene/frame.
//
// The walk is on one thread at a time, so that ids and the prims that name shared objects are the
// same everywhere; what it needs to know of each prim alone is read ahead in parallel. For one
// plan; not thread-safe.
class FramePlanner {
 public:
  // The arguments must outlive it.
  FramePlanner(RequestContext& context, const Stage& stage, const FrameSelection& selection);

  // Finds the lights. To be called first. Errors: those of the context.
  absl::Status Start();
  // Adds so many prims to the plan, if there are as many. Errors: those of the context.
  absl::Status Continue(size_t rows);

  // Whether the plan is whole.
  bool done() const { return done_; }
  // The plan so far, with its memory reserved in the context; see FramePlanning for the parts that
  // only a whole plan has.
  const std::shared_ptr<FramePlan>& plan() const { return plan_; }

 private:
  // A walk below a root, between two prims.
  struct Walk {
    PrimRange::Iterator at;
    FrameState above;  // of the root's parent
    uint32_t prototype;
  };
  // A prim on the walk, with its state and that of its parent.
  struct Visit {
    const Prim& prim;
    const PrimTraits& traits;
    const FrameState& above;
    const FrameState& state;
    uint32_t prototype;
    size_t depth;
  };

  // Begins to walk the next root or prototype. Whether there is one.
  absl::StatusOr<bool> StartWalk();
  // Walks until the plan has so many prims.
  absl::Status ContinueWalk(size_t rows);
  // Reads what the walk needs to know of the next prims, in parallel.
  void ReadAhead(const Walk& walk);
  // Visits the prim that the walk is at.
  absl::Status VisitPrim(Walk& walk);
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

  absl::Status Finish();
  // Reserves exactly what the plan needs.
  absl::Status ChargeExactly();
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
  std::vector<Prim> roots_;
  size_t next_root_ = 0;
  uint32_t next_prototype_ = 0;
  std::optional<Walk> walk_;
  std::vector<FrameState> way_;  // the states of the prim at each depth of the walk
  size_t ahead_ = 0;             // how many prims were read ahead
  size_t uncharged_ = 0;
  bool done_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PLANNER_H_
