#include "server/queries/transform_samples.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/xform_batch.h"
#include "scene/geom/xform_motion.h"
#include "scene/values/matrix.h"
#include "server/converters/packed_values.h"
#include "server/queries/motion_samples.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

// The prims of a request that are sampled at the same times around one frame.
struct SampledPrims {
  std::shared_ptr<const MotionSelection> selection;
  size_t frame = 0;           // index among the times of the request
  std::vector<size_t> prims;  // indices among the paths of the request
};

// Plans the samples around one frame, and adds the prims to `groups`.
absl::Status PlanFrame(RequestContext& context, const PrimBatch& batch, const SamplePolicy& policy,
                       size_t frame, MotionPlan* plan, std::vector<SampledPrims>* groups) {
  const double time = batch.times[frame].value();
  SD_ASSIGN_OR_RETURN(const XformMotion motion,
                      FindXformMotion(context, batch.prims, policy.Begin(time), policy.End(time)));
  std::unordered_map<const MotionTimes*, size_t> known;
  Pacer pacer(context);
  for (size_t p = 0; p < batch.prims.size(); ++p) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!batch.prims[p].valid()) continue;
    const MotionTimes* times = motion.times[p].get();
    const auto [group, fresh] = known.emplace(times, groups->size());
    if (fresh) {
      SD_ASSIGN_OR_RETURN(auto selection,
                          plan->Keep(times != nullptr ? times->Select(policy, time)
                                                      : SteadySelection(policy, time)));
      groups->push_back({std::move(selection), frame, {}});
    }
    (*groups)[group->second].prims.push_back(p);
    plan->Set(batch.ItemIndex(p, frame), (*groups)[group->second].selection);
  }
  return context.Check();
}

// The columns of matrices of a reply; `local` may be null.
struct MatrixColumns {
  char* world = nullptr;
  char* local = nullptr;
};

// Computes the matrices of a group and writes them to their places.
absl::Status FillGroup(RequestContext& context, const PrimBatch& batch, const MotionPlan& plan,
                       const SampledPrims& group, Executor* executor, const MatrixColumns& columns,
                       v1::ComputeTransformsResponse* response) {
  std::vector<Prim> prims;
  for (const size_t p : group.prims) prims.push_back(batch.prims[p]);
  const std::vector<TimeCode> times = TimeCodesOf(*group.selection);
  SD_ASSIGN_OR_RETURN(const XformBatch xforms,
                      ComputeXforms(context, prims, times, columns.local != nullptr, executor));
  const size_t bytes = times.size() * sizeof(Matrix4d);
  for (size_t i = 0; i < prims.size(); ++i) {
    const size_t item = batch.ItemIndex(group.prims[i], group.frame);
    response->set_resets_xform_stack(static_cast<int>(item), xforms.resets[i]);
    const size_t at = plan.first(item) * sizeof(Matrix4d);
    std::memcpy(columns.world + at, &xforms.world[i * times.size()], bytes);
    if (columns.local != nullptr) {
      std::memcpy(columns.local + at, &xforms.local[i * times.size()], bytes);
    }
  }
  return context.Check();
}

}  // namespace

absl::Status FillTransformSamples(const QueryState& state, RequestContext& context,
                                  const PrimBatch& batch,
                                  const v1::ComputeTransformsRequest& request, ReplyBudget& budget,
                                  v1::ComputeTransformsResponse* response) {
  SD_ASSIGN_OR_RETURN(const SamplePolicy policy,
                      ParseSamplePolicy(request.sample_policy(), batch.times));
  const size_t items = batch.item_count();
  SD_RETURN_IF_ERROR(context.Reserve(items * 4 * sizeof(size_t), "motion samples"));
  MotionPlan plan(context, items);
  std::vector<SampledPrims> groups;
  for (size_t frame = 0; frame < batch.times.size(); ++frame) {
    SD_RETURN_IF_ERROR(PlanFrame(context, batch, policy, frame, &plan, &groups));
  }
  SD_RETURN_IF_ERROR(plan.Count(state.limits.max_items));
  plan.Fill(request.sample_policy().with_sources(), budget, response->mutable_samples());
  const Packing packing = PackingOf(ValueType::kMatrix4d);
  const size_t samples = plan.sample_count();
  MatrixColumns columns;
  columns.world = FillPackedZeros(packing, samples, budget, response->mutable_local_to_world());
  if (request.with_local()) {
    columns.local = FillPackedZeros(packing, samples, budget, response->mutable_local());
  }
  if (!budget.Charge(items)) return budget.status();
  response->mutable_resets_xform_stack()->Resize(static_cast<int>(items), false);
  for (const SampledPrims& group : groups) {
    SD_RETURN_IF_ERROR(FillGroup(context, batch, plan, group, state.stages.environment().executor,
                                 columns, response));
  }
  return context.Check();
}

}  // namespace stagedoor::server
