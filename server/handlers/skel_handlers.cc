#include "server/handlers/skel_handlers.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skin_walk.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"
#include "server/check_count.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/queries/find_roots.h"
#include "server/queries/prim_batch.h"
#include "server/queries/skel_fields.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

class BindingStream final : public ResponseStream<v1::ListSkelBindingsResponse> {
 public:
  BindingStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                LeasedStage leased, SkinWalk walk)
      : budget_(context, limits.max_item_bytes(), "the prim has too many joints"),
        leased_(std::move(leased)),
        walk_(std::move(walk)),
        message_bytes_(chunk_bytes) {}

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::ListSkelBindingsResponse* response) override {
    budget_.StartMessage();
    const bool first = !std::exchange(started_, true);
    response->set_snapshot(leased_.snapshot->fingerprint());
    SkinningTarget skin;
    while (budget_.message_bytes() < message_bytes_) {
      SD_ASSIGN_OR_RETURN(const bool more, walk_.Next(context, &skin));
      if (!more) break;
      budget_.StartItem();
      if (skin.skinned != nullptr) WarnOfSkin(context, skin.prim, skin.skinned->warnings());
      v1::SkelBinding* out = budget_.Add(response->mutable_bindings());
      FillBinding(skin, budget_, out);
      SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, 0, out));
      if (out->has_error()) out->set_path(budget_.Text(PathOf(skin.prim)));
    }
    SD_RETURN_IF_ERROR(leased_.CheckKnownChanges());
    SD_RETURN_IF_ERROR(budget_.AddStreamWarnings(response->mutable_warnings()));
    return first || response->bindings_size() != 0;
  }

 private:
  static void FillBinding(const SkinningTarget& skin, ReplyBudget& budget, v1::SkelBinding* out) {
    out->set_path(budget.Text(PathOf(skin.prim)));
    out->set_skel_root(budget.Text(PathOf(skin.skel_root)));
    out->set_skeleton(budget.Text(PathOf(skin.skeleton)));
    if (skin.skinned == nullptr) return;
    out->set_animation_source(budget.Text(PathOf(skin.animation)));
    budget.AddTokens(skin.skinned->joint_order().span(), out->mutable_joint_order());
    out->set_rigid(skin.skinned->is_rigidly_deformed());
    out->set_has_blend_shapes(skin.skinned->has_blend_shapes());
  }

  ReplyBudget budget_;
  const LeasedStage leased_;
  SkinWalk walk_;
  const size_t message_bytes_;
  bool started_ = false;
};

class JointStream final : public ChunkedStream<v1::ComputeJointTransformsResponse> {
 public:
  JointStream(RequestContext& context, const ServerLimits& limits, PrimBatch batch,
              const v1::ComputeJointTransformsRequest& request)
      : ChunkedStream(context, limits, ChunkBytes(request, limits),
                      "the skeleton has too many joints"),
        batch_(std::move(batch)),
        space_(request.space()),
        at_rest_(request.at_rest()) {
    for (const TimeCode time : batch_.times) xforms_.emplace_back(time);
  }

 private:
  absl::StatusOr<bool> Make(RequestContext& context,
                            v1::ComputeJointTransformsResponse* response) override {
    if (item_ == 0) response->set_snapshot(batch_.leased.snapshot->fingerprint());
    while (item_ < batch_.item_count() && HasRoom()) {
      SD_RETURN_IF_ERROR(context.Check());
      const auto item = static_cast<uint32_t>(item_);
      budget().StartItem();
      v1::JointTransforms* out = budget().Add(response->mutable_items());
      FillItem(context, item_ / batch_.times.size(), item_ % batch_.times.size(), out);
      SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), item, out));
      out->set_item(item);
      ++item_;
    }
    SD_RETURN_IF_ERROR(batch_.leased.CheckRead());
    SD_RETURN_IF_ERROR(budget().AddStreamWarnings(response->mutable_warnings()));
    return response->items_size() != 0;
  }

  void FillItem(RequestContext& context, size_t prim, size_t time, v1::JointTransforms* out) {
    if (!batch_.prims[prim].valid()) {
      return FillError(batch_.failures[prim], out);
    }
    if (time == 0) LookUp(context, batch_.prims[prim]);
    if (skeleton_ == nullptr) {
      const absl::Status status =
          WithReason(InvalidArgumentError(PathOf(batch_.prims[prim]),
                                          " is neither a valid Skeleton nor bound to one"),
                     v1::ERROR_REASON_WRONG_KIND);
      return FillError(status, out);
    }
    if (time == 0) {
      budget().AddTokens((skinned_ ? skinned_->joint_order() : skeleton_->joint_order()).span(),
                         out->mutable_joint_order());
    }
    auto transforms = Transforms(context, *skeleton_, time);
    if (!transforms) return;
    if (skinned_) transforms = skinned_->RemapToJointOrder(*std::move(transforms));
    FillPackedMatrices(*std::move(transforms), budget(), out->mutable_transforms());
  }

  void FillError(const absl::Status& failure, v1::JointTransforms* out) {
    budget().FillError(failure, static_cast<uint32_t>(item_), out->mutable_error());
  }

  // Looks up the skeleton at `prim`, or the one that the skinned prim is bound to.
  void LookUp(RequestContext& context, const Prim& prim) {
    SkelCache& cache = SkelCache::Of(batch_.leased.stage());
    skinned_ = nullptr;
    skeleton_prim_ = prim;
    skeleton_ = cache.SkeletonOf(context, prim);
    if (skeleton_ != nullptr) return;
    std::vector<SkinningTarget> found;
    if (!cache.FindAt(context, prim, &found).ok() || found.empty()) return;
    skinned_ = found.front().skinned;
    skeleton_prim_ = found.front().skeleton;
    skeleton_ = cache.SkeletonOf(context, skeleton_prim_);
  }

  std::optional<std::vector<Matrix4d>> Transforms(RequestContext& context,
                                                  const SkeletonQuery& skeleton, size_t index) {
    const TimeCode time = batch_.times[index];
    switch (space_) {
      case v1::JOINT_SPACE_LOCAL:
        return skeleton.JointLocalTransforms(context, time, at_rest_);
      case v1::JOINT_SPACE_SKINNING:
        return skeleton.SkinningTransforms(context, time);
      case v1::JOINT_SPACE_WORLD: {
        const Matrix4d world = xforms_[index].LocalToWorld(context, skeleton_prim_);
        return skeleton.JointSkelTransforms(context, time, at_rest_, &world);
      }
      default:
        return skeleton.JointSkelTransforms(context, time, at_rest_);
    }
  }

  const PrimBatch batch_;
  const v1::JointSpace space_;
  const bool at_rest_;
  std::vector<XformCache> xforms_;  // one for each time
  // The skeleton of the prim whose items are being made; null if it has none.
  std::shared_ptr<const SkeletonQuery> skeleton_;
  Prim skeleton_prim_;
  std::shared_ptr<const SkinningQuery> skinned_;
  size_t item_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ListSkelBindingsResponse>> ListSkelBindings(
    const QueryState& state, RequestContext& context, const v1::ListSkelBindingsRequest& request) {
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<Prim> roots,
                      FindRoots(context, leased.stage(), request.roots(), state.limits.max_paths));
  if (roots.empty()) roots.push_back(leased.stage().PseudoRoot());
  SkinWalk walk(leased.stage(), std::move(roots));
  // The stream calls the engine, and fills the messages.
  return std::make_unique<BindingStream>(context, state.limits, ChunkBytes(request, state.limits),
                                         std::move(leased), std::move(walk));
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeJointTransforms(
    const QueryState& state, RequestContext& context,
    const v1::ComputeJointTransformsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  SD_RETURN_IF_ERROR(context.Reserve(batch.times.size() * sizeof(XformCache), "times of joints"));
  return std::make_unique<JointStream>(context, state.limits, std::move(batch), request);
}

}  // namespace stagedoor::server
