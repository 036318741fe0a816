#include "server/handlers/skinning_data_handler.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/xform_cache.h"
#include "scene/skel/packed_shapes.h"
#include "scene/skel/skin_sources.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/queries/motion_samples.h"
#include "server/queries/shared_skin_parts.h"
#include "server/queries/skel_fields.h"
#include "server/queries/skin_item_fields.h"
#include "server/queries/skin_jobs.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

template <typename T>
void FillNumbers(ValueType type, std::vector<T> numbers, ReplyBudget& budget,
                 v1::PackedValues* out) {
  FillPackedArray(type, Array<T>::FromVector(std::move(numbers)), budget, out);
}

// Whether all indices are those of joints. False once the context is done.
bool AreJoints(RequestContext& context, const Array<int>& indices, size_t joints) {
  Pacer pacer(context);
  return std::all_of(indices.begin(), indices.end(), [&](int index) {
    return pacer.Go() && index >= 0 && static_cast<size_t>(index) < joints;
  });
}

// Fills the influences at a time, unless they cannot be used. `Message`: of a binding or an item.
template <typename Message>
void FillInfluences(const SkinningTarget& skin, TimeCode time, ReplyBudget& budget, Message* out) {
  const SkinningQuery& skinned = *skin.skinned;
  if (!skinned.has_joint_influences()) return;
  RequestContext& context = budget.context();
  Array<int> indices;
  Array<float> weights;
  if (!skinned.JointInfluences(context, time, &indices, &weights)) {
    return WarnOfSkin(context, skin.prim,
                      {"joint indices and weights are missing or have the wrong size"});
  }
  if (!budget.Charge(sizeof(v1::JointInfluences))) return;
  v1::JointInfluences* influences = out->mutable_influences();
  influences->set_interpolation(skinned.has_constant_influences() ? "constant" : "vertex");
  influences->set_influences_per_component(
      static_cast<uint32_t>(skinned.influences_per_component()));
  if (!AreJoints(context, indices, skinned.joint_order().size())) {
    influences->set_out_of_range(true);
    WarnOfSkin(context, skin.prim, {"a joint index is out of range"});
  }
  FillPackedArray(ValueType::kInt, indices, budget, influences->mutable_indices());
  FillPackedArray(ValueType::kFloat, weights, budget, influences->mutable_weights());
}

void FillSubShape(const SubShape& sub, bool with_offsets, ReplyBudget& budget,
                  v1::SkinningSubShape* out) {
  out->set_weight(sub.weight);
  out->set_inbetween(budget.Text(sub.inbetween.text()));
  if (with_offsets && !sub.offsets.empty()) {
    FillPackedArray(ValueType::kVec3f, sub.offsets, budget, out->mutable_point_offsets());
  }
  if (!sub.normal_offsets.empty()) {
    FillPackedArray(ValueType::kVec3f, sub.normal_offsets, budget, out->mutable_normal_offsets());
  }
}

void FillBlendShapes(const SkinningQuery& skinned, const SkinSources& sources, bool with_offsets,
                     ReplyBudget& budget, v1::SkinningBinding* out) {
  if (!skinned.has_blend_shapes()) return;
  budget.AddTokens(skinned.BlendShapeOrder(budget.context()).span(),
                   out->mutable_blend_shape_order());
  const std::vector<Path> targets = skinned.binding().blend_shape_targets.Targets();
  for (size_t i = 0; i < sources.shapes.size() && budget.ok(); ++i) {
    const BlendShape& shape = sources.shapes[i];
    v1::SkinningBlendShape* to = budget.Add(out->mutable_blend_shapes());
    if (i < targets.size()) to->set_path(budget.Text(targets[i].ToString()));
    if (!shape.point_indices.empty()) {
      FillPackedArray(ValueType::kInt, shape.point_indices, budget, to->mutable_point_indices());
    }
    for (const SubShape& sub : shape.sub_shapes) {
      if (!budget.ok()) return;
      FillSubShape(sub, with_offsets, budget, budget.Add(to->mutable_sub_shapes()));
    }
  }
}

void FillPackedShapes(const SkinSources& sources, TimeCode time, ReplyBudget& budget,
                      v1::SkinningBinding* out) {
  RequestContext& context = budget.context();
  const auto points = sources.points.GetAs<Array<Vec3f>>(context, time);
  if (!points) return;
  const auto table = ComputePackedShapeTable(context, sources.shapes, points->size());
  if (!table.ok()) return context.Fail(table.status());
  if (!budget.Charge(sizeof(v1::PackedShapeTable))) return;
  v1::PackedShapeTable* to = out->mutable_packed_shapes();
  FillPackedArray(ValueType::kVec4f, table->offsets, budget, to->mutable_offsets());
  FillPackedArray(ValueType::kVec2i, table->ranges, budget, to->mutable_ranges());
}

void FillWeights(const SkinningQuery& skinned, const SkinSources& sources, TimeCode time,
                 ReplyBudget& budget, v1::SkinningItem* out) {
  const auto weights = skinned.BlendShapeWeights(budget.context(), time);
  if (!weights) return;
  FillNumbers(ValueType::kFloat, *weights, budget, out->mutable_blend_shape_weights());
  const auto active = ComputeSubShapeWeights(sources.shapes, *weights);
  if (!active) return;
  std::vector<uint32_t> firsts;  // the number of the first sub-shape of each shape
  uint32_t count = 0;
  for (const BlendShape& shape : sources.shapes) {
    firsts.push_back(count);
    count += static_cast<uint32_t>(shape.sub_shapes.size());
  }
  std::vector<float> sub_weights;
  std::vector<uint32_t> shapes, subs;
  for (const SubShapeWeight& sub : *active) {
    sub_weights.push_back(sub.weight);
    shapes.push_back(static_cast<uint32_t>(sub.shape));
    subs.push_back(firsts[sub.owner] + static_cast<uint32_t>(sub.sub_shape));
  }
  FillNumbers(ValueType::kFloat, std::move(sub_weights), budget, out->mutable_sub_shape_weights());
  FillNumbers(ValueType::kUInt, std::move(shapes), budget, out->mutable_blend_shape_indices());
  FillNumbers(ValueType::kUInt, std::move(subs), budget, out->mutable_sub_shape_indices());
}

// The options of a request, and the kinds of its times, that decide what bindings contain.
struct DataView {
  bool packed_shapes = false;
  bool sources = false;  // says which attributes have samples
  bool any_default = false;
  bool any_numeric = false;

  // Whether what is the same at all numeric times, if `steady`, is the same at those of the
  // request. The default may differ from samples.
  bool IsFixed(bool steady) const { return !any_numeric || (!any_default && steady); }
};

class SkinningDataStream final : public ChunkedStream<v1::ComputeSkinningResponse> {
 public:
  SkinningDataStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                     LeasedStage leased, SkinJobs jobs, DataView view)
      : ChunkedStream(context, limits, chunk_bytes, "the prim has too many joints or blend shapes"),
        leased_(std::move(leased)),
        jobs_(std::move(jobs)),
        view_(view),
        parts_(context) {}

 private:
  static constexpr size_t kSpareCaches = 64;             // sample times whose transforms are kept
  static constexpr size_t kMaxCached = size_t{1} << 18;  // limit of cached prim transforms

  absl::StatusOr<bool> Make(RequestContext& context,
                            v1::ComputeSkinningResponse* response) override {
    if (jobs_.AtEnd()) return false;
    if (!std::exchange(started_, true)) response->set_snapshot(leased_.snapshot->fingerprint());
    if (parts_.IsFull()) {
      parts_.Clear();
      response->set_starts_over(true);
    }
    while (!jobs_.AtEnd() && HasRoom()) {
      SD_RETURN_IF_ERROR(context.Check());
      SD_RETURN_IF_ERROR(AddItem(jobs_.job(), response));
      SD_RETURN_IF_ERROR(jobs_.Next(context));
    }
    SD_RETURN_IF_ERROR(leased_.CheckRead());
    SD_RETURN_IF_ERROR(budget().AddStreamWarnings(response->mutable_warnings()));
    return response->items_size() != 0;
  }
  bool NoMoreItems() const override { return jobs_.AtEnd(); }

  // Fails only if the request is over.
  absl::Status AddItem(const SkinJob& job, v1::ComputeSkinningResponse* response) {
    const int skeletons = response->skeletons_size();
    const int poses = response->poses_size();
    const int bindings = response->bindings_size();
    budget().StartItem();
    v1::SkinningItem* item = budget().Add(response->mutable_items());
    if (job.skin.skinned == nullptr) {
      budget().FillError(NotSkinned(job), 0, item->mutable_error());
    } else {
      FillItem(job, response, item);
    }
    const bool fits = budget().ok();
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), 0, item));
    if (!fits) {
      // The skeletons, poses and bindings of the item were dropped with it, so later items must
      // send them again.
      const auto shrink = [](auto* parts, int count) {
        parts->DeleteSubrange(count, parts->size() - count);
      };
      shrink(response->mutable_skeletons(), skeletons);
      shrink(response->mutable_poses(), poses);
      shrink(response->mutable_bindings(), bindings);
      parts_.Clear();
    }
    if (item->has_error()) {
      const bool missing = !job.failure.ok();
      item->set_path(budget().Text(missing ? job.missing_path : PathOf(job.skin.prim)));
    }
    return absl::OkStatus();
  }

  void FillItem(const SkinJob& job, v1::ComputeSkinningResponse* response, v1::SkinningItem* out) {
    const SkinningQuery& skinned = *job.skin.skinned;
    const TimeCode time = job.at.time;
    RequestContext& context = budget().context();
    const auto sources = skinned.Sources(context);
    const uint32_t skeleton = AddSkeleton(job, response);
    out->set_binding(AddBinding(job, skeleton, *sources, response));
    out->set_pose(AddPose(job, skeleton, response));
    FillSkinJob(job, view_.sources, budget(), out);
    FillPackedMatrix(SkeletonToPrim(job), budget(), out->mutable_skeleton_to_prim());
    if (!view_.IsFixed(skinned.HasSteadyInfluences())) {
      FillInfluences(job.skin, time, budget(), out);
    }
    if (!view_.IsFixed(skinned.HasSteadyGeomBind())) {
      FillPackedMatrix(skinned.GeomBindTransform(context, time), budget(),
                       out->mutable_geom_bind_transform());
    }
    FillWeights(skinned, *sources, time, budget(), out);
  }

  // These three return the number of what the job shares with others, and send it first if it has
  // not been sent.
  uint32_t AddSkeleton(const SkinJob& job, v1::ComputeSkinningResponse* response) {
    const auto [number, fresh] = parts_.SkeletonOf(job.skin.skinned);
    if (!fresh) return number;
    const SkeletonQuery& skeleton = job.skin.skinned->skeleton();
    v1::SkinningSkeleton* out = budget().Add(response->mutable_skeletons());
    out->set_number(number);
    budget().AddTokens(skeleton.joint_order().span(), out->mutable_joint_order());
    if (skeleton.has_bind_pose()) {
      FillPackedMatrices(skeleton.InverseBindTransforms(), budget(),
                         out->mutable_inverse_bind_transforms());
    }
    return number;
  }

  uint32_t AddBinding(const SkinJob& job, uint32_t skeleton, const SkinSources& sources,
                      v1::ComputeSkinningResponse* response) {
    const SkinningQuery& skinned = *job.skin.skinned;
    RequestContext& context = budget().context();
    const auto [number, fresh] = parts_.BindingOf(job.skin.skinned);
    if (!fresh) return number;
    WarnOfSkin(context, job.skin.prim, skinned.warnings());
    WarnOfSkin(context, job.skin.prim, sources.warnings);
    v1::SkinningBinding* out = budget().Add(response->mutable_bindings());
    out->set_number(number);
    out->set_skeleton(skeleton);
    out->set_skinning_method(budget().Text(skinned.skinning_method().text()));
    out->set_rigid(skinned.is_rigidly_deformed());
    if (auto mapping = skinned.JointMapping()) {
      budget().AddTokens(skinned.joint_order().span(), out->mutable_joint_order());
      FillNumbers(ValueType::kInt, *std::move(mapping), budget(), out->mutable_joint_mapping());
    }
    if (view_.IsFixed(skinned.HasSteadyInfluences())) {
      FillInfluences(job.skin, job.at.time, budget(), out);
    }
    if (view_.IsFixed(skinned.HasSteadyGeomBind())) {
      FillPackedMatrix(skinned.GeomBindTransform(context, job.at.time), budget(),
                       out->mutable_geom_bind_transform());
    }
    FillBlendShapes(skinned, sources, !view_.packed_shapes, budget(), out);
    if (view_.packed_shapes && skinned.has_blend_shapes()) {
      FillPackedShapes(sources, job.at.time, budget(), out);
    }
    return number;
  }

  uint32_t AddPose(const SkinJob& job, uint32_t skeleton, v1::ComputeSkinningResponse* response) {
    const TimeCode time = job.at.time;
    const auto [number, fresh] = parts_.PoseOf(skeleton, time);
    if (!fresh) return number;
    auto transforms = job.skin.skinned->skeleton().SkinningTransforms(budget().context(), time);
    const size_t bytes = transforms ? transforms->size() * sizeof(Matrix4d) : 0;
    parts_.SetPoseBytes(skeleton, time, bytes);
    if (bytes == 0) return 0;
    v1::SkinningPose* out = budget().Add(response->mutable_poses());
    out->set_number(number);
    out->set_skeleton(skeleton);
    FillPackedMatrices(*std::move(transforms), budget(), out->mutable_skinning_transforms());
    return number;
  }

  Matrix4d SkeletonToPrim(const SkinJob& job) {
    XformCache& xforms = XformsAt(job.at.time);
    const Matrix4d skeleton = xforms.LocalToWorld(budget().context(), job.skin.skeleton);
    const Matrix4d prim = xforms.LocalToWorld(budget().context(), job.skin.prim);
    return skeleton == prim ? Matrix4d::Identity() : skeleton * Inverse(prim);
  }

  XformCache& XformsAt(TimeCode time) {
    if (xforms_.size() > 4 * jobs_.times().size() + kSpareCaches) xforms_.clear();
    XformCache& found = xforms_.try_emplace(KeyOf(time), time).first->second;
    if (found.size() > kMaxCached) found = XformCache(time);
    return found;
  }

  const LeasedStage leased_;
  SkinJobs jobs_;  // from the next item on
  const DataView view_;
  bool started_ = false;
  std::map<TimeKey, XformCache> xforms_;
  SharedSkinParts parts_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeSkinning(
    const QueryState& state, RequestContext& context, const v1::ComputeSkinningRequest& request) {
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeCode> times,
                      ParseTimes(context, request.times(), state.limits.max_times));
  SD_ASSIGN_OR_RETURN(const auto policy, ParseSamplePolicyOf(request, times));
  SD_RETURN_IF_ERROR(context.Reserve(times.size() * sizeof(XformCache), "times of skins"));
  const SkinSearch search{.everywhere = request.paths().empty() && request.path_set().empty(),
                          .keep_missing = true};
  SD_ASSIGN_OR_RETURN(SkinQueue skins,
                      FindSkins(state, context, leased.stage(), request.paths(), search));
  DataView view{.packed_shapes = request.with_packed_shapes(),
                .sources = request.sample_policy().with_sources()};
  for (const TimeCode time : times) {
    (time.is_default() ? view.any_default : view.any_numeric) = true;
  }
  const SkinOptions options{.points = false, .normals = false};
  SkinJobs jobs(std::move(skins), std::move(times), policy, options);
  SD_RETURN_IF_ERROR(jobs.Start(context));
  auto stream =
      std::make_unique<SkinningDataStream>(context, state.limits, ChunkBytes(request, state.limits),
                                           std::move(leased), std::move(jobs), view);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

}  // namespace stagedoor::server
