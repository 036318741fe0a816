#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PROTOTYPES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PROTOTYPES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/prim_map.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Finds the prototypes of a frame's point instancers. Not thread-safe.
class FramePrototypes {
 public:
  // The arguments must outlive it.
  FramePrototypes(RequestContext& context, FrameIds* ids, FramePlan* plan)
      : context_(context), reserved_(context), ids_(*ids), plan_(*plan) {}

  // Finds the prototypes of the instancer of a geometry, in the order of the relationship, and adds
  // those that are new to the plan. `may_draw` decides which prims can be drawn. Errors: those of
  // the context.
  absl::Status AddOf(uint32_t geometry, const std::function<bool(const Prim&)>& may_draw);

  // Notes that a prototype draws the instancer of a geometry.
  void Contains(uint32_t prototype, uint32_t geometry);

  // Removes prototypes from instancers that the prototypes draw themselves, directly or by others.
  // To be called once all are known. Errors: those of the context.
  absl::Status BreakCycles();

  // Hashes of the prototypes' paths, by index.
  uint64_t path_hash(uint32_t prototype) const { return path_hashes_[prototype]; }

 private:
  uint32_t IndexOf(const Prim& root);

  RequestContext& context_;
  Reservation reserved_;
  FrameIds& ids_;
  FramePlan& plan_;
  PrimMap<uint32_t> known_;
  std::vector<uint64_t> path_hashes_;
  std::vector<std::vector<uint32_t>> instancers_;  // for each prototype, geometry that it draws
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PROTOTYPES_H_
