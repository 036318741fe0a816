#ifndef STAGEDOOR_SERVER_FRAMES_GEOMETRY_BATCH_H_
#define STAGEDOOR_SERVER_FRAMES_GEOMETRY_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/values/array.h"
#include "scene/values/matrix.h"
#include "server/frames/frame_job.h"
#include "server/frames/sampled_values.h"
#include "server/queries/instance_indices.h"

namespace stagedoor::server {

// The instances of a point instancer in a frame.
struct SampledInstances {
  std::vector<double> times;                // one for each sample
  std::vector<Array<Matrix4d>> transforms;  // likewise
  std::vector<Reservation> reserved;        // for the transforms
  InstanceIndices indices;
  std::vector<Path> prototypes;
  absl::Status error;  // why there are none
};

// The computed parts of a geometry.
struct ComputedGeometry {
  uint32_t index = 0;        // among those of the plan
  bool is_computed = false;  // otherwise nothing else is set
  bool complete = false;     // whether it is all of it
  std::vector<Token> names;  // of all its attributes, if it is complete
  std::vector<std::shared_ptr<const SampledValue>> values;
  bool with_fields = false;
  std::optional<SampledInstances> instances;

  // The bytes of arrays that were computed.
  size_t computed_bytes() const;
};

// Computes some geometry of a plan in parallel: all of it if `complete`, otherwise what varies, and
// differs from the base of the job if it has one. Geometry is not computed any more once there are
// so many computed bytes that they should be sent first; a single one always is. Errors: those of
// the context.
absl::StatusOr<std::vector<ComputedGeometry>> ComputeGeometry(RequestContext& context,
                                                              const FrameJob& job,
                                                              std::span<const uint32_t> indices,
                                                              bool complete);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_GEOMETRY_BATCH_H_
