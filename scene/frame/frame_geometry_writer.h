#ifndef STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRY_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRY_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/reservation.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_instance_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_own_xforms.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_row_xforms.h"

namespace stagedoor {

// Writes the prims that a frame draws to its layer: their geometry, transforms, visibility,
// materials, subsets and instances. Not thread-safe. Borrows the work.
class FrameGeometryWriter {
 public:
  explicit FrameGeometryWriter(FrameLayerWork& work)
      : context_(work.context),
        work_(work),
        plan_(work.source.plan),
        attributes_(work),
        instances_(work),
        own_xforms_(work),
        reserved_(work.context) {}

  // To be called once. Errors, here and below: those of the context.
  absl::Status Write();

 private:
  // A geometry of the plan.
  struct Use {
    bool has_skin = false;  // that deforms its prims or moves them as a whole
    uint32_t rows = 0;      // how many have it
    Path shared;            // the class that several rows reference; empty for a single one
  };

  absl::Status CountUses();
  absl::Status FindExclusiveBindings();
  absl::Status WriteShared();
  absl::Status WriteBatch(size_t first, size_t last);
  bool IsVisible(const FramePrim& row);
  absl::Status WriteRow(size_t index, SampledXform xform);
  FlatPrim PrimOf(size_t index);
  void WriteImageable(SpecId spec, const FramePrim& row);
  void WriteBinding(SpecId spec, size_t index);
  absl::Status WriteSubsets(SpecId spec, size_t index);
  void WriteSubset(const FrameSubset& subset);
  absl::Status WriteContent(SpecId spec, const FrameGeometry& geometry);
  absl::Status WriteStandIn(SpecId spec, const FramePrim& row);
  absl::Status WriteFields(SpecId spec, const Prim& volume);

  RequestContext& context_;
  FrameLayerWork& work_;
  const FramePlan& plan_;
  FrameAttributeWriter attributes_;
  FrameInstanceWriter instances_;
  FrameOwnXforms own_xforms_;
  std::vector<Use> uses_;                    // for each geometry
  std::vector<bool> has_exclusive_binding_;  // for each row: its material is for it alone
  size_t next_subset_ = 0;                   // of the plan
  Reservation reserved_;                     // for the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRY_WRITER_H_
