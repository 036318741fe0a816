#ifndef STAGEDOOR_SCENE_FRAME_FRAME_OWN_XFORMS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_OWN_XFORMS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/reservation.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_place_xforms.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_prototype_use.h"
#include "scene/geom/prim_map.h"

namespace stagedoor {

// Writes the transforms of prims in prototypes of point instancers, which are their own ones: those
// of the rows, and of all prims up to the prototypes' roots. Not thread-safe. Borrows its
// arguments.
class FrameOwnXforms {
 public:
  FrameOwnXforms(FrameLayerWork& work, const FramePrototypeUse& prototypes)
      : context_(work.context), work_(work), prototypes_(prototypes), reserved_(work.context) {}

  // Adds what is between a row and the root of its prototype, and the root. Errors, here and below:
  // those of the context.
  absl::Status WriteAncestors(const FramePrim& row);
  absl::Status WriteRow(SpecId spec, const FramePrim& row);
  // Adds the roots that instancers use, whether or not a part of them is drawn, once all rows are
  // written. Those that are also drawn where they are get the place and visibility of that.
  absl::Status WritePrototypes();

 private:
  absl::Status Write(SpecId spec, const Prim& prim, const FramePrim* row);
  absl::StatusOr<SampledXform> SampleRigid(const FramePrim& row);
  absl::StatusOr<SampledXform> SampleLocal(const Prim& prim, bool* resets);
  absl::Status WritePlaceOf(const Prim& root);
  absl::Status WriteInvisibleAbove(const Prim& root);

  RequestContext& context_;
  FrameLayerWork& work_;
  const FramePrototypeUse& prototypes_;
  PrimMap<bool> written_;    // that have a transform
  PrimMap<bool> hidden_;     // that have the visibility that they have in place
  std::vector<Prim> chain_;  // scratch
  Reservation reserved_;     // for the maps
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_OWN_XFORMS_H_
