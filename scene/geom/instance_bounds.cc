#include "scene/geom/instance_bounds.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/point_instancer.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// The index of the prototype of each instance. As in OpenUSD, those at the time of the bounds
// count, although the transforms are those of the instances at `base_time`.
absl::StatusOr<Array<int>> PrototypeIndices(RequestContext& context, const Prim& instancer,
                                            TimeCode time, const InstanceTransforms& all) {
  auto indices = AttributeValueAs<Array<int>>(context, instancer, Geom().protoIndices, time);
  if (!indices) {
    return FailedPreconditionError(instancer.PathText(), ": protoIndices has no value at the time");
  }
  SD_RETURN_IF_ERROR(CheckProtoIndices(context, instancer, *indices, all.prototypes.size()));
  return *std::move(indices);
}

}  // namespace

absl::Status ComputeInstanceBounds(RequestContext& context, const Prim& instancer,
                                   TimeCode base_time, std::span<const uint32_t> instances,
                                   BBoxCache& cache, std::span<BBox3d> bounds) {
  SD_ASSIGN_OR_RETURN(
      const InstanceTransforms all,
      ComputeInstanceTransforms(context, instancer, cache.time(), base_time,
                                {.include_proto_transform = true, .apply_mask = false}));
  Array<int> indices = all.proto_indices;
  if (cache.time() != base_time) {
    SD_ASSIGN_OR_RETURN(indices, PrototypeIndices(context, instancer, cache.time(), all));
  }
  using Box = std::optional<BBox3d>;
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(all.prototypes.size() * sizeof(Box), "bounds of prototypes"));
  std::vector<Box> prototypes(all.prototypes.size());
  Pacer pacer(context);
  for (size_t i = 0; i < instances.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    bounds[i] = BBox3d();
    const size_t instance = instances[i];
    if (instance >= all.transforms.size()) continue;
    const Array<int>& known = instance < indices.size() ? indices : all.proto_indices;
    const auto prototype = static_cast<size_t>(known[instance]);
    Box& box = prototypes[prototype];
    if (!box) {
      const Path path = all.prototypes[prototype];
      box = cache.UntransformedBound(context, instancer.stage().FindPrim(path));
    }
    bounds[i] = *box;
    bounds[i].Transform(all.transforms[instance]);
  }
  return context.Check();
}

}  // namespace stagedoor
