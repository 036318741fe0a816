#include "scene/skel/skinning_query.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/primvar.h"
#include "scene/geom/source_sink.h"
#include "scene/skel/skel_tokens.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

// The influence arrays, if they are equal at all numeric times.
bool SteadyInfluences(RequestContext& context, const SkinBinding& binding, Array<int>* indices,
                      Array<float>* weights) {
  const TimeCode any = TimeCode::At(0);
  const auto i = binding.joint_indices->GetAs<Array<int>>(context, any);
  const auto w = binding.joint_weights->GetAs<Array<float>>(context, any);
  if (!i || !w) return false;
  *indices = *i;
  *weights = *w;
  return true;
}

}  // namespace

std::shared_ptr<const SkinningQuery> SkinningQuery::Compile(
    RequestContext& context, SkinBinding binding, std::shared_ptr<const SkeletonQuery> skeleton) {
  std::shared_ptr<SkinningQuery> skinned(new SkinningQuery);
  skinned->binding_ = std::move(binding);
  skinned->skeleton_ = std::move(skeleton);
  const SkinBinding& bound = skinned->binding_;
  const TimeCode at_default = TimeCode::Default();
  // Uniform attributes are read once, at default time. With an own joint order the indices of the
  // prim refer to that instead of the skeleton's.
  if (bound.joints) {
    skinned->own_joints_ = bound.joints->GetAs<Array<Token>>(context, at_default);
    if (skinned->own_joints_) {
      skinned->to_own_joints_ =
          AnimMapper(skinned->skeleton_->joint_order().span(), skinned->own_joints_->span());
    }
  }
  if (bound.skinning_method) {
    const auto method = bound.skinning_method->GetAs<Token>(context, at_default);
    if (method) skinned->method_name_ = *method;
    if (method && *method == Skel().dualQuaternion) {
      skinned->method_ = SkinningMethod::kDualQuaternion;
    } else if (method && *method != Skel().classicLinear) {
      skinned->known_method_ = false;
      skinned->warnings_.push_back(
          "unknown skinning method (must be classicLinear or dualQuaternion): " + method->str());
    }
  }
  skinned->InitInfluences(context);
  // Both are needed: the names to find weights in the animation, the targets to find the shapes.
  skinned->has_blend_shapes_ = bound.blend_shapes && bound.blend_shape_targets.valid() &&
                               bound.blend_shapes->GetAs<Array<Token>>(context, at_default);
  return skinned;
}

void SkinningQuery::InitInfluences(RequestContext& context) {
  if (!binding_.joint_indices || !binding_.joint_weights) return;
  const Primvar indices(binding_.joint_indices->attribute());
  const Primvar weights(binding_.joint_weights->attribute());
  const int size = indices.ElementSize(context);
  const Token interpolation = indices.Interpolation(context);
  // The checks of UsdSkelSkinningQuery::_InitializeJointInfluenceBindings. A prim that fails them
  // is left as it is.
  if (size != weights.ElementSize(context) || size <= 0) {
    warnings_.push_back("jointIndices and jointWeights must have the same positive elementSize");
  } else if (!(interpolation == weights.Interpolation(context))) {
    warnings_.push_back("jointIndices and jointWeights must have the same interpolation");
  } else if (!(interpolation == Geom().constant) && !(interpolation == Geom().vertex)) {
    warnings_.push_back("joint influences must have constant or vertex interpolation");
  } else {
    per_point_ = size;
    constant_influences_ = interpolation == Geom().constant;
    // A rigid deformation becomes the transform of the prim, which only an Xformable has.
    rigid_ = constant_influences_ && binding_.prim.IsA(Geom().Xformable);
  }
}

std::shared_ptr<const SkinSources> SkinningQuery::Sources(RequestContext& context) const {
  {
    MutexLock lock(mu_);
    if (sources_) return sources_;
  }
  // Without the lock, since this reads values. Two threads may prepare the same, and the first one
  // to finish wins.
  auto made = std::make_shared<SkinSources>(SkinSources::Read(context, binding_, *skeleton_));
  Array<int> indices;
  Array<float> weights;
  Array<int> unused;
  if (has_joint_influences() && !rigid_ && HasSteadyInfluences() &&
      SteadyInfluences(context, binding_, &indices, &weights)) {
    // Shared with other prims whose influences come from the same specs.
    SkinArrays& arrays = SkinArrays::Of(binding_.prim.stage());
    const size_t joints = joint_order().size();
    const auto layout = [&] {
      return arrays.Influences(context, indices, weights, per_point_, joints)
          .value_or(std::shared_ptr<const SkinArrays::Layout>());
    };
    const bool fits =
        indices.size() == weights.size() && indices.size() % static_cast<size_t>(per_point_) == 0;
    if (fits) made->influences = layout();
    if (made->influences && made->face_vertex_indices.valid() &&
        made->face_vertex_indices.is_steady()) {
      const auto corners = made->face_vertex_indices.GetAs<Array<int>>(context, TimeCode::At(0));
      Reservation reserved(context);
      if (corners &&
          ExpandByFaceVertex(context, *corners, per_point_, &reserved, &indices, &weights)) {
        made->face_vertex_influences = layout();
      }
    }
  }
  // The result of a request that has ended may be incomplete, so it is not kept.
  if (!context.Check().ok()) return made;
  MutexLock lock(mu_);
  if (!sources_) sources_ = std::move(made);
  return sources_;
}

size_t SkinningQuery::byte_size() const {
  MutexLock lock(mu_);
  return sizeof(*this) + 8 * sizeof(AttributeQuery) + (sources_ ? sources_->byte_size() : 0);
}

std::shared_ptr<const std::vector<Matrix4d>> SkinningQuery::JointTransforms(
    const std::shared_ptr<const SkeletonPose>& pose) const {
  // Without an own order, the pose's array is shared, and kept alive with the pose.
  if (!own_joints_) return {pose, &pose->transforms()};
  return std::make_shared<std::vector<Matrix4d>>(RemapToJointOrder(pose->transforms()));
}

std::vector<Matrix4d> SkinningQuery::RemapToJointOrder(std::vector<Matrix4d> transforms) const {
  if (!own_joints_) return transforms;
  std::vector<Matrix4d> own;
  to_own_joints_.Remap<Matrix4d>(transforms, Matrix4d::Identity(), &own);
  return own;
}

std::optional<std::vector<int>> SkinningQuery::JointMapping() const {
  if (!own_joints_) return std::nullopt;
  std::vector<int> mapping(own_joints_->size(), -1);
  for (size_t i = 0; i < to_own_joints_.source_size(); ++i) {
    const int own = to_own_joints_.target(i);
    if (own >= 0) mapping[static_cast<size_t>(own)] = static_cast<int>(i);
  }
  return mapping;
}

bool SkinningQuery::HasSteadyInfluences() const {
  // Indexed ones do not count, because their indices may be animated on their own.
  const auto is_steady = [](const SharedAttribute& attribute) {
    return !attribute ||
           (attribute->is_steady() && !Primvar(attribute->attribute()).IndicesAttribute().valid());
  };
  return is_steady(binding_.joint_indices) && is_steady(binding_.joint_weights);
}

bool SkinningQuery::JointInfluences(RequestContext& context, TimeCode time, Array<int>* indices,
                                    Array<float>* weights) const {
  if (!has_joint_influences()) return false;
  // Indexed primvars are rare, and flattening copies.
  const auto flattened = [&](const AttributeQuery& attribute) {
    const Primvar primvar(attribute.attribute());
    return primvar.IndicesAttribute().valid() ? primvar.ComputeFlattened(context, time)
                                              : attribute.Get(context, time);
  };
  const Value index_value = flattened(*binding_.joint_indices);
  const Value weight_value = flattened(*binding_.joint_weights);
  const auto* i = index_value.Get<Array<int>>();
  const auto* w = weight_value.Get<Array<float>>();
  if (!i || !w || i->size() != w->size()) return false;
  // Whether the arrays match the number of points is checked later, when that is known.
  if (i->size() % static_cast<size_t>(per_point_) != 0) return false;
  if (constant_influences_ && i->size() != static_cast<size_t>(per_point_)) return false;
  *indices = *i;
  *weights = *w;
  return true;
}

Matrix4d SkinningQuery::GeomBindTransform(RequestContext& context, TimeCode time) const {
  if (!binding_.geom_bind_transform) return Matrix4d::Identity();
  return binding_.geom_bind_transform->GetAs<Matrix4d>(context, time)
      .value_or(Matrix4d::Identity());
}

std::optional<std::vector<float>> SkinningQuery::BlendWeights(RequestContext& context,
                                                              const SkinSources& sources,
                                                              TimeCode time) const {
  const AnimQuery* animation = skeleton_->animation();
  // Without authored weights the baker does not touch the points, which is not the same as weights
  // of zero: those still give new arrays.
  if (!animation || sources.shapes.empty()) return std::nullopt;
  if (!animation->has_blend_shape_weights()) return std::nullopt;
  // Weights without a value at this time count as zero.
  const Array<float> animated =
      animation->BlendShapeWeights(context, time).value_or(Array<float>());
  std::vector<float> weights;
  sources.to_shapes.Remap<float>(animated.span(), 0.0f, &weights);
  return weights;
}

std::optional<std::vector<float>> SkinningQuery::BlendShapeWeights(RequestContext& context,
                                                                   TimeCode time) const {
  return BlendWeights(context, *Sources(context), time);
}

Array<Token> SkinningQuery::BlendShapeOrder(RequestContext& context) const {
  if (!has_blend_shapes_) return {};
  return binding_.blend_shapes->GetAs<Array<Token>>(context, TimeCode::Default())
      .value_or(Array<Token>());
}

SkinPose SkinningQuery::PoseAt(RequestContext& context, PoseCache& poses, const Prim& prim,
                               const Prim& skeleton) const {
  SkinPose pose;
  pose.time = poses.time();
  pose.skeleton = poses.PoseOf(context, *skeleton_);
  XformCache& xforms = poses.xforms();
  pose.skeleton_to_world = xforms.LocalToWorld(context, skeleton);
  pose.prim_to_world = xforms.LocalToWorld(context, prim);
  pose.parent_to_world = Matrix4d::Identity();
  // Only the new local transform of a rigid prim is relative to its parent.
  if (!rigid_) return pose;
  bool resets = false;
  xforms.Local(context, prim, &resets);
  if (!resets) pose.parent_to_world = xforms.ParentToWorld(context, prim);
  return pose;
}

Array<double> SkinningQuery::SampleTimes(RequestContext& context) const {
  std::vector<double> all;
  const auto add = [&](const Array<double>& times) {
    std::vector<double> merged;
    std::set_union(all.begin(), all.end(), times.begin(), times.end(), std::back_inserter(merged));
    all = std::move(merged);
  };
  if (skeleton_->animation()) add(skeleton_->animation()->SampleTimes(context));
  for (const SharedAttribute& attribute :
       {binding_.joint_indices, binding_.joint_weights, binding_.geom_bind_transform}) {
    if (attribute) add(attribute->SampleTimes(context));
  }
  const std::shared_ptr<const SkinSources> sources = Sources(context);
  add(sources->points.SampleTimes(context));
  add(sources->normals.SampleTimes(context));
  return Array<double>::FromVector(std::move(all));
}

absl::Status SkinningQuery::AddSources(RequestContext& context, const Prim& prim,
                                       const Prim& animation, const SkinOptions& options,
                                       SourceSink* sink) const {
  const auto add = [&](const AttributeQuery& query) {
    return query.valid() ? sink->Add(context, query.numeric(), prim, query.attribute().name())
                         : absl::OkStatus();
  };
  const std::shared_ptr<const SkinSources> sources = Sources(context);
  if (options.points) SD_RETURN_IF_ERROR(add(sources->points));
  if (options.normals) {
    SD_RETURN_IF_ERROR(add(sources->normals));
    SD_RETURN_IF_ERROR(add(sources->face_vertex_indices));
  }
  for (const SharedAttribute& attribute : {binding_.joint_indices, binding_.joint_weights}) {
    if (!attribute) continue;
    SD_RETURN_IF_ERROR(sink->Add(context, *attribute));
    const Attribute indices = Primvar(attribute->attribute()).IndicesAttribute();
    if (indices.valid()) SD_RETURN_IF_ERROR(sink->Add(context, AttributeQuery(context, indices)));
  }
  if (binding_.geom_bind_transform) {
    SD_RETURN_IF_ERROR(sink->Add(context, *binding_.geom_bind_transform));
  }
  if (!skeleton_->animation()) return absl::OkStatus();
  return skeleton_->animation()->AddSources(
      context, animation.valid() ? animation : skeleton_->animation()->prim(),
      options.points || options.normals, sink);
}

}  // namespace stagedoor
