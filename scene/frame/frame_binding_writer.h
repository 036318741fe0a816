#ifndef STAGEDOOR_SCENE_FRAME_FRAME_BINDING_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_BINDING_WRITER_H_

#include <vector>

#include "absl/status/status.h"
#include "base/reservation.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/prim_map.h"
#include "scene/paths/token.h"

namespace stagedoor {

// Binds what a frame draws to its materials.
//
// A direct binding reaches the prims below, where another one takes its place. Below a prim there
// may be one without a material, because a collection binds the prim alone, or a subset that is
// bound to nothing; a collection with the prim alone binds it in the layer, too. Not thread-safe.
// Borrows the work.
class FrameBindingWriter {
 public:
  explicit FrameBindingWriter(FrameLayerWork& work) : work_(work), reserved_(work.context) {}

  // Finds the prims that are bound alone. Errors: those of the context.
  absl::Status Prepare();
  // Adds the API schemas that the binding of a row needs.
  void AddSchemas(const FramePrim& row, std::vector<Token>* schemas) const;
  void Write(SpecId spec, const FramePrim& row);
  void Write(SpecId spec, const FrameSubset& subset);

 private:
  absl::Status FindBound(PrimMap<bool>* bound);
  absl::Status ExcludeBelow(const Prim& unbound, const PrimMap<bool>& bound);

  FrameLayerWork& work_;
  PrimMap<bool> alone_;   // prims whose material is for them alone
  Reservation reserved_;  // for alone_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_BINDING_WRITER_H_
