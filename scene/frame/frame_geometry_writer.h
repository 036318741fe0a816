#ifndef STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRY_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRY_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/reservation.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_binding_writer.h"
#include "scene/frame/frame_hidden_primvars.h"
#include "scene/frame/frame_instance_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_own_xforms.h"
#include "scene/frame/frame_place_xforms.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_prototype_use.h"

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
        bindings_(work),
        instances_(work),
        hidden_primvars_(work),
        prototypes_(work),
        own_xforms_(work, prototypes_),
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
  absl::Status WriteShared();
  absl::Status WriteBatch(size_t first, size_t last);
  bool HasWorldXform(const FramePrim& row) const;
  absl::Status WriteRow(size_t index, SampledXform xform);
  Path SharedBy(const FramePrim& row) const;
  FlatPrim PrimOf(const FramePrim& row);
  void WriteImageable(SpecId spec, const FramePrim& row, const Prim& above);
  absl::Status WriteSubsets(SpecId spec, size_t index);
  void WriteSubset(const FrameSubset& subset);
  absl::Status WriteContent(SpecId spec, const FrameGeometry& geometry);
  absl::Status WriteStandIn(SpecId spec, const FramePrim& row);
  absl::Status AddFields(SpecId spec, const Prim& volume);
  absl::Status WriteField(const Prim& field);

  RequestContext& context_;
  FrameLayerWork& work_;
  const FramePlan& plan_;
  FrameAttributeWriter attributes_;
  FrameBindingWriter bindings_;
  FrameInstanceWriter instances_;
  FrameHiddenPrimvars hidden_primvars_;
  FramePrototypeUse prototypes_;
  FrameOwnXforms own_xforms_;
  std::vector<Use> uses_;     // for each geometry
  size_t next_subset_ = 0;    // of the plan
  std::vector<Prim> fields_;  // of volumes
  Reservation reserved_;      // for the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRY_WRITER_H_
