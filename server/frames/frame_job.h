#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_JOB_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_JOB_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "scene/frame/frame_changes.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_planning.h"
#include "scene/frame/frame_transforms.h"
#include "server/frames/frame_request.h"
#include "server/server_limits.h"

namespace stagedoor::server {

class SteadyValues;

// The frame of a request, and how much of it is made.
struct FrameJob {
  std::shared_ptr<const FrameRequest> request;
  // All of it, or what there is of a plan in the making, which grows between the batches of prims.
  std::shared_ptr<const FramePlan> plan;
  std::shared_ptr<FramePlanning> planning;  // null once the plan is whole
  bool only_varying = false;                // only the parts that the plan says may vary
  std::optional<FrameTimes> base;  // and of these, only what may differ from the frame at this time
  Executor* executor = nullptr;
  ServerLimits limits;
  // The values that geometry has in common. Set by FrameWalk.
  std::shared_ptr<SteadyValues> steady;

  const FrameTimes& times() const { return request->times; }
  TimeCode frame() const { return request->times.frame; }

  // Adds prims to the plan; see FramePlanning. Errors: those of the context.
  absl::Status PlanMore(size_t rows) {
    const absl::Status status = planning->Continue(rows);
    plan = planning->plan();
    if (planning->is_whole()) planning = nullptr;
    return status;
  }

  // Whether a row is in the frame at `time`: not if it is invisible then and those are left out.
  bool Has(RequestContext& context, const FramePrim& row, TimeCode time) const {
    return !request->without_invisible || IsVisible(context, row, time);
  }
  bool IsVisible(RequestContext& context, const FramePlace& place, TimeCode time) const {
    return place.blinks ? IsVisibleAt(context, *plan, place, time) : place.visible;
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_JOB_H_
