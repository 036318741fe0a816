#ifndef STAGEDOOR_SCENE_FRAME_FRAME_OWN_XFORMS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_OWN_XFORMS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/reservation.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_row_xforms.h"
#include "scene/geom/prim_map.h"

namespace stagedoor {

// Writes the transforms of prims in prototypes of point instancers, which are their own ones: those
// of the rows, and of all prims up to the prototypes' roots. Not thread-safe. Borrows the work.
class FrameOwnXforms {
 public:
  explicit FrameOwnXforms(FrameLayerWork& work);

  // Whether the prim is a row of a prototype, whether or not it is also drawn where it is.
  bool Has(const Prim& prim) const { return in_prototype_.Find(prim) != nullptr; }

  // Adds what is between a row and the root of its prototype, and the root. Errors, here and below:
  // those of the context.
  absl::Status WriteAncestors(const FramePrim& row);
  absl::Status WriteRow(SpecId spec, const FramePrim& row);
  // Puts prototypes that are also drawn where they are in that place: gives the closest prim above
  // their roots that can have one its transform to world space.
  absl::Status WritePlaces();

 private:
  absl::Status Write(SpecId spec, const Prim& prim, const FramePrim* row);
  absl::StatusOr<SampledXform> SampleRigid(const FramePrim& row);
  absl::StatusOr<SampledXform> SampleLocal(const Prim& prim, bool* resets);
  absl::Status WritePlaceOf(const Prim& root);

  RequestContext& context_;
  FrameLayerWork& work_;
  PrimMap<bool> in_prototype_;      // rows
  PrimMap<bool> written_;           // that have a transform
  std::vector<bool> is_drawn_too_;  // for each prototype: whether a part is drawn where it is
  std::vector<Prim> chain_;         // scratch
  Reservation reserved_;            // for the maps
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_OWN_XFORMS_H_
