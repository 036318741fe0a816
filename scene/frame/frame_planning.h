#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PLANNING_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PLANNING_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_plans.h"
#include "scene/frame/frame_selection.h"
#include "scene/stage/stage.h"

namespace stagedoor {

class FramePlanner;

// A plan that a request makes while it uses what there is of it, so that the first prims of a large
// stage need not wait for the last ones.
//
// The part that is made stays as it is: the plan grows at the end of its vectors, and has all that
// its prims refer to. Only a whole plan has FrameGeometry::prototypes as they are drawn,
// FrameLight::geometry, and what varies. For one thread at a time.
class FramePlanning {
 public:
  // As FramePlans::Find, but with at least the first `rows` prims instead of all of them, if the
  // plan is not there yet; once all are found, it is kept, too. The arguments must outlive the
  // result.
  static absl::StatusOr<std::unique_ptr<FramePlanning>> Begin(RequestContext& context,
                                                              const Stage& stage,
                                                              const FrameSelection& selection,
                                                              std::string_view key, size_t rows);
  ~FramePlanning();

  // The plan so far.
  const std::shared_ptr<const FramePlan>& plan() const { return plan_; }
  bool is_whole() const { return planner_ == nullptr; }

  // Adds at least `rows` prims to the plan, or the last ones. Afterwards, plan() may be another
  // object: if the same plan is there already, or another request makes it, that one is used.
  // Errors: those of the context.
  absl::Status Continue(size_t rows);

 private:
  FramePlanning(FramePlans& plans, RequestContext& context, const Stage& stage,
                const FrameSelection& selection, std::string key, bool is_first);

  // Makes the lights and the first prims.
  absl::Status Start(size_t rows);
  // Adds prims that this request plans itself.
  absl::Status Plan(size_t rows);
  void Take(std::shared_ptr<const FramePlan> whole);

  FramePlans& plans_;
  RequestContext& context_;
  const Stage& stage_;
  const FrameSelection& selection_;
  const std::string key_;
  const bool is_first_;  // no other request makes this plan part by part
  std::unique_ptr<FramePlanner> planner_;
  std::shared_ptr<const FramePlan> plan_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PLANNING_H_
