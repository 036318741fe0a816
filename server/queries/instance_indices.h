#ifndef STAGEDOOR_SERVER_QUERIES_INSTANCE_INDICES_H_
#define STAGEDOOR_SERVER_QUERIES_INSTANCE_INDICES_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/point_instancer.h"
#include "scene/values/array.h"

namespace stagedoor::server {

// The indices and IDs of the instances of a point instancer, in parallel to their transforms.
struct InstanceIndices {
  Array<uint32_t> prototypes;         // the indices of their prototypes
  Array<uint32_t> instances;          // their indices in protoIndices
  std::optional<Array<int64_t>> ids;  // none without the attribute `ids`
  Reservation reserved;               // for the arrays
};

// `drop_masked`: whether instances that are masked are left out. Errors: those of the context.
absl::StatusOr<InstanceIndices> FindInstanceIndices(RequestContext& context,
                                                    const InstanceTransforms& instances,
                                                    bool drop_masked);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_INSTANCE_INDICES_H_
