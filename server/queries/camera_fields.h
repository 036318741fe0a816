#ifndef STAGEDOOR_SERVER_QUERIES_CAMERA_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_CAMERA_FIELDS_H_

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "scene/geom/frustum.h"
#include "scene/geom/sample_policy.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

// How the cameras of a request are computed.
struct CameraView {
  ConformPolicy conform = ConformPolicy::kDontConform;
  double aspect_ratio = 0;             // 0 keeps the camera's shape
  std::optional<SamplePolicy> motion;  // without it, an item has a single result
  bool with_sources = false;           // of the samples
  size_t max_samples = 0;              // of all items together
  Executor* executor = nullptr;        // may be null
};

// Fills the columns of a reply with the items of a batch, whose valid prims are Cameras. Errors:
// REQUEST_TOO_LARGE for more samples than `max_samples`; those of the budget and the context.
absl::Status FillCameras(RequestContext& context, const PrimBatch& batch, const CameraView& view,
                         ReplyBudget& budget, v1::ComputeCamerasResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_CAMERA_FIELDS_H_
