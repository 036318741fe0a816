#include "scene/geom/mesh_topology.h"

#include <cstddef>
#include <cstdint>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

absl::Status ValidateMeshTopology(RequestContext& context, const Prim& mesh, TimeCode time) {
  const auto counts = AttributeArray<int>(context, mesh, Geom().faceVertexCounts, time);
  const auto indices = AttributeArray<int>(context, mesh, Geom().faceVertexIndices, time);
  const size_t point_count = AttributeArray<Vec3f>(context, mesh, Geom().points, time).size();
  SD_RETURN_IF_ERROR(context.Check());
  Pacer pacer(context);
  int64_t sum = 0;
  for (const int count : counts) {
    SD_RETURN_IF_ERROR(pacer.Step());
    sum += count;
  }
  if (sum != static_cast<int64_t>(indices.size())) {
    return FailedPreconditionError("faceVertexCounts add up to ", sum,
                                   ", but the number of faceVertexIndices is ", indices.size());
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (indices[i] >= 0 && static_cast<size_t>(indices[i]) < point_count) continue;
    return FailedPreconditionError("element ", i, " of faceVertexIndices is ", indices[i],
                                   ", but the number of points is ", point_count);
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
