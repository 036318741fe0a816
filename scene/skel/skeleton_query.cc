#include "scene/skel/skeleton_query.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/source_sink.h"
#include "scene/skel/joint_transforms.h"
#include "scene/skel/skel_tokens.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// Joint orders and bind and rest transforms are uniform attributes, hence default time.
Array<Token> TokenArray(RequestContext& context, const Prim& prim, Token name) {
  return AttributeArray<Token>(context, prim, name, TimeCode::Default());
}

Array<Matrix4d> MatrixArray(RequestContext& context, const Prim& prim, Token name) {
  return AttributeArray<Matrix4d>(context, prim, name, TimeCode::Default());
}

}  // namespace

const SkelTokens& Skel() {
  static const SkelTokens tokens;
  return tokens;
}

std::optional<AnimQuery> AnimQuery::Compile(RequestContext& context, const Prim& prim) {
  if (!prim.valid() || !prim.IsActive() || !prim.IsA(Skel().SkelAnimation)) return std::nullopt;
  AnimQuery animation;
  animation.prim_ = prim;
  animation.joint_order_ = TokenArray(context, prim, Skel().joints);
  animation.blend_shape_order_ = TokenArray(context, prim, Skel().blendShapes);
  const auto compile = [&](Token name) { return AttributeQuery(context, prim.GetAttribute(name)); };
  animation.translations_ = compile(Skel().translations);
  animation.rotations_ = compile(Skel().rotations);
  animation.scales_ = compile(Skel().scales);
  animation.weights_ = compile(Skel().blendShapeWeights);
  return animation;
}

bool AnimQuery::ReadJointTransforms(RequestContext& context, TimeCode time,
                                    const AnimMapper& mapper, std::vector<Matrix4d>* out) const {
  // A SkelAnimation is valid only if all three components are authored for all of its joints. A
  // block of one of them turns it off, and the skeleton falls back to its rest pose.
  const Value translations = translations_.Get(context, time);
  const Value rotations = rotations_.Get(context, time);
  const Value scales = scales_.Get(context, time);
  const auto* t = translations.Get<Array<Vec3f>>();
  const auto* r = rotations.Get<Array<Quatf>>();
  const auto* s = scales.Get<Array<Vec3h>>();
  if (!t || !r || !s || t->empty()) return false;
  const size_t count = joint_order_.size();
  if (t->size() != count || r->size() != count || s->size() != count) return false;
  // Written directly to the skeleton's order, which saves a copy of all transforms per pose.
  for (size_t i = 0; i < count; ++i) {
    const int target = mapper.target(i);
    if (target >= 0) {
      MakeJointTransform((*t)[i], (*r)[i], (*s)[i], &(*out)[static_cast<size_t>(target)]);
    }
  }
  return true;
}

std::optional<Array<float>> AnimQuery::BlendShapeWeights(RequestContext& context,
                                                         TimeCode time) const {
  return weights_.GetAs<Array<float>>(context, time);
}

absl::Status AnimQuery::AddSources(RequestContext& context, const Prim& prim, bool with_weights,
                                   SourceSink* sink) const {
  for (const AttributeQuery* query : {&translations_, &rotations_, &scales_, &weights_}) {
    if (!query->valid() || (query == &weights_ && !with_weights)) continue;
    SD_RETURN_IF_ERROR(sink->Add(context, query->numeric(), prim, query->attribute().name()));
  }
  return absl::OkStatus();
}

Array<double> AnimQuery::SampleTimes(RequestContext& context) const {
  std::vector<double> all;
  for (const AttributeQuery* source : {&translations_, &rotations_, &scales_, &weights_}) {
    const Array<double> times = source->SampleTimes(context);
    std::vector<double> merged;
    std::set_union(all.begin(), all.end(), times.begin(), times.end(), std::back_inserter(merged));
    all = std::move(merged);
  }
  return Array<double>::FromVector(std::move(all));
}

absl::StatusOr<std::shared_ptr<const SkeletonQuery>> SkeletonQuery::Compile(RequestContext& context,
                                                                            const Prim& prim) {
  if (!prim.valid() || !prim.IsActive() || !prim.IsA(Skel().Skeleton)) {
    return absl::FailedPreconditionError(
        (prim.valid() ? prim.path().ToString() : std::string("the target")) +
        " is not an active Skeleton prim");
  }
  std::shared_ptr<SkeletonQuery> skeleton(new SkeletonQuery);
  skeleton->prim_ = prim;
  skeleton->joint_order_ = TokenArray(context, prim, Skel().joints);
  skeleton->topology_ = JointTopology(skeleton->joint_order_.span(), &context);
  if (absl::Status s = context.Check(); !s.ok()) return s;
  if (absl::Status s = skeleton->topology_.Validate(); !s.ok()) {
    return absl::FailedPreconditionError(prim.path().ToString() + ": " + std::string(s.message()));
  }
  const size_t joints = skeleton->joint_order_.size();
  // Bind transforms are in world space at bind time, rest transforms are joint-local.
  skeleton->bind_ = MatrixArray(context, prim, Skel().bindTransforms);
  skeleton->rest_ = MatrixArray(context, prim, Skel().restTransforms);
  // Authored is not the same as usable: UsdSkelBakeSkinning decides by the former whether a
  // skeleton without animation is posed at all.
  skeleton->rest_authored_ = HasAuthoredValue(context, prim, Skel().restTransforms);
  skeleton->has_bind_pose_ = skeleton->bind_.size() == joints;
  skeleton->has_rest_pose_ = skeleton->rest_.size() == joints;
  skeleton->animation_ = AnimQuery::Compile(context, FindAnimationSource(context, prim));
  // The animation may list its joints in another order, or only some of the skeleton's.
  if (skeleton->animation_) {
    skeleton->to_skeleton_ =
        AnimMapper(skeleton->animation_->joint_order().span(), skeleton->joint_order_.span());
  }
  return std::shared_ptr<const SkeletonQuery>(std::move(skeleton));
}

std::optional<std::vector<Matrix4d>> SkeletonQuery::JointLocalTransforms(RequestContext& context,
                                                                         TimeCode time,
                                                                         bool at_rest) const {
  const auto rest = [&]() -> std::optional<std::vector<Matrix4d>> {
    if (!has_rest_pose_) return std::nullopt;
    return RestTransforms();
  };
  // An animation that moves none of the joints counts as none. A sparse one takes the other joints
  // from the rest pose, and cannot be used without it.
  if (at_rest || !IsAnimated()) return rest();
  if (to_skeleton_.IsSparse() && !has_rest_pose_) return std::nullopt;
  std::vector<Matrix4d> local =
      to_skeleton_.IsSparse() ? RestTransforms() : std::vector<Matrix4d>(joint_order_.size());
  if (!animation_->ReadJointTransforms(context, time, to_skeleton_, &local)) return rest();
  return local;
}

std::optional<std::vector<Matrix4d>> SkeletonQuery::JointSkelTransforms(
    RequestContext& context, TimeCode time, bool at_rest, const Matrix4d* root) const {
  auto local = JointLocalTransforms(context, time, at_rest);
  if (!local) return std::nullopt;
  return ConcatJointTransforms(topology_, *std::move(local), root);
}

std::optional<std::vector<Matrix4d>> SkeletonQuery::SkinningTransforms(RequestContext& context,
                                                                       TimeCode time) const {
  // Skinning moves points from the bind pose to the current pose, so both are needed.
  if (!has_bind_pose_ || !IsPosed()) return std::nullopt;
  auto posed = JointSkelTransforms(context, time);
  if (!posed) return std::nullopt;
  // Points come in bind space. The inverse bind transform takes them to the joint, the pose of the
  // joint to skeleton space: invBind * skelXform.
  return MultiplyTransforms(InverseBindTransforms(), *std::move(posed));
}

const std::vector<Matrix4d>& SkeletonQuery::InverseBindTransforms() const {
  std::call_once(inverse_bind_once_, [&] { inverse_bind_ = InverseTransforms(bind_.span()); });
  return inverse_bind_;
}

std::optional<Prim> BoundTarget(RequestContext& context, const Prim& prim, Token relationship) {
  const Relationship rel = prim.GetRelationship(relationship);
  if (!rel.valid()) return std::nullopt;
  const auto targets = rel.AuthoredForwardedTargets(context);
  if (!targets) return std::nullopt;
  return targets->empty() ? Prim() : prim.stage().FindPrim(targets->front());
}

Prim FindAnimationSource(RequestContext& context, const Prim& prim) {
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    // Binding properties mean nothing on prims to which the API schema is not applied.
    if (!at.HasApi(Skel().SkelBindingAPI)) continue;
    const std::optional<Prim> target = BoundTarget(context, at, Skel().animation_source);
    if (target) return *target;
  }
  return Prim();
}

}  // namespace stagedoor
