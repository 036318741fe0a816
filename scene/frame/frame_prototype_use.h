#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PROTOTYPE_USE_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PROTOTYPE_USE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/reservation.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/prim_map.h"

namespace stagedoor {

// Which prototypes of a plan a frame's layer has, and whether they are also drawn where they are.
// Not thread-safe; valid as long as the plan. Incomplete once the request is over.
class FramePrototypeUse {
 public:
  explicit FramePrototypeUse(FrameLayerWork& work);

  // Whether an instancer of the layer has the prototype.
  bool IsUsed(size_t prototype) const { return used_[prototype]; }
  // Whether a part of it is drawn where it is, besides by instancers.
  bool IsDrawnInPlace(size_t prototype) const { return in_place_[prototype]; }
  // Whether it is an over in the layer, because it would be drawn where it is otherwise. Below an
  // instancer nothing is.
  bool IsOver(size_t prototype) const { return is_over_[prototype]; }
  // Whether the prim is a row of a prototype that is used, whether or not it is also one where it
  // is.
  bool Has(const Prim& prim) const { return rows_.Find(prim) != nullptr; }

 private:
  void FindRanges();
  void FindUsed();
  void AddPrototypesOf(const FramePrim& row);
  void FindRows();
  bool IsBelowInstancer(const Prim& prim);

  FrameLayerWork& work_;
  const FramePlan& plan_;
  Pacer pacer_;
  std::vector<std::pair<size_t, size_t>> ranges_;  // of the rows of each prototype
  std::vector<bool> used_, in_place_, is_over_;    // for each prototype
  std::vector<uint32_t> queue_;                    // prototypes whose rows may use others
  PrimMap<bool> rows_;                             // of used prototypes
  PrimMap<bool> instancers_;                       // of the layer
  Reservation reserved_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PROTOTYPE_USE_H_
