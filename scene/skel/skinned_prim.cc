#include "scene/skel/skinned_prim.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/primvars.h"
#include "scene/skel/skel_tokens.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

constexpr std::string_view kInbetweens = "inbetweens:";
constexpr std::string_view kNormalOffsets = ":normalOffsets";

std::optional<float> WeightOf(const Attribute& inbetween) {
  const Value value = inbetween.Metadata(Skel().weight);
  if (const double* d = value.Get<double>()) return static_cast<float>(*d);
  if (const float* f = value.Get<float>()) return *f;
  if (const int* i = value.Get<int>()) return static_cast<float>(*i);
  return std::nullopt;
}

Array<Vec3f> Offsets(RequestContext& context, const Prim& prim, Token name) {
  return AttributeValueAs<Array<Vec3f>>(context, prim, name, Time::Default())
      .value_or(Array<Vec3f>());
}

void AddInbetween(RequestContext& context, const Prim& prim, Token name, BlendShape* shape,
                  std::vector<std::string>* warnings) {
  const Attribute attribute = prim.GetAttribute(name);
  if (!attribute.valid()) return;
  const std::optional<float> weight = WeightOf(attribute);
  if (!weight) return;
  if (std::abs(*weight) < 1e-6f || std::abs(*weight - 1) < 1e-6f) {
    warnings->push_back(attribute.path().ToString() + ": in-betweens may not weigh 0 or 1");
    return;
  }
  SubShape sub{.weight = *weight,
               .is_null = false,
               .offsets = Offsets(context, prim, name),
               .normal_offsets = {}};
  const auto normals = Token::Find(std::string(name.text()).append(kNormalOffsets));
  if (normals) sub.normal_offsets = Offsets(context, prim, *normals);
  shape->sub_shapes.push_back(std::move(sub));
}

// Of int, or of unsigned int as files of old have them.
Array<int> PointIndices(RequestContext& context, const Prim& prim) {
  const Value value = AttributeValue(context, prim, Skel().pointIndices, Time::Default());
  if (const auto* indices = value.Get<Array<int>>()) return *indices;
  const auto* unsigned_indices = value.Get<Array<uint32_t>>();
  if (!unsigned_indices) return Array<int>();
  std::vector<int> indices(unsigned_indices->begin(), unsigned_indices->end());
  return Array<int>::FromVector(std::move(indices));
}

BlendShape ReadBlendShape(RequestContext& context, const Prim& prim,
                          std::vector<std::string>* warnings) {
  BlendShape shape;
  if (!prim.valid() || !prim.IsA(Skel().BlendShape)) {
    warnings->push_back("a target of skel:blendShapeTargets is no blend shape");
    return shape;
  }
  if (!prim.IsActive()) return shape;
  shape.point_indices = PointIndices(context, prim);
  shape.sub_shapes.push_back({.weight = 1,
                              .is_null = false,
                              .offsets = Offsets(context, prim, Skel().offsets),
                              .normal_offsets = Offsets(context, prim, Skel().normalOffsets)});
  for (const Token name : prim.AuthoredPropertyNames()) {
    const std::string_view text = name.text();
    if (!text.starts_with(kInbetweens) || text.ends_with(kNormalOffsets)) continue;
    AddInbetween(context, prim, name, &shape, warnings);
  }
  FinishBlendShape(&shape);
  return shape;
}

std::vector<Vec3f> ToVector(const Array<Vec3f>& array) {
  return std::vector<Vec3f>(array.begin(), array.end());
}

Token NormalsInterpolation(const Attribute& normals) {
  const Value value = normals.Metadata(Geom().interpolation);
  const Token* token = value.Get<Token>();
  return token ? *token : Geom().vertex;
}

template <typename T>
void ExpandByFaceVertex(const Array<int>& face_vertex_indices, int per_point, const Array<T>& from,
                        std::vector<T>* to) {
  const size_t stride = static_cast<size_t>(per_point);
  const size_t points = from.size() / stride;
  to->reserve(face_vertex_indices.size() * stride);
  for (const int index : face_vertex_indices) {
    const size_t point =
        index >= 0 && static_cast<size_t>(index) < points ? static_cast<size_t>(index) : 0;
    to->insert(to->end(), from.begin() + point * stride, from.begin() + (point + 1) * stride);
  }
}

}  // namespace

// What one deformation works with.
struct SkinnedPrim::Pose {
  const std::vector<Matrix4d>& joints;
  Array<int> indices;
  Array<float> weights;
  const PreparedInfluences* prepared = nullptr;  // for the points, where ready
  Matrix4d geom_bind;
  Matrix4d to_prim;  // from skeleton space
  Matrix4d to_parent;
  Executor* executor = nullptr;
};

std::shared_ptr<const SkinnedPrim> SkinnedPrim::Compile(RequestContext& context,
                                                        SkinBinding binding,
                                                        std::shared_ptr<const Skeleton> skeleton) {
  std::shared_ptr<SkinnedPrim> skinned(new SkinnedPrim);
  skinned->binding_ = std::move(binding);
  skinned->skeleton_ = std::move(skeleton);
  const SkinBinding& bound = skinned->binding_;
  if (bound.joints.valid()) {
    const Value order = bound.joints.Get(context, Time::Default());
    if (const auto* tokens = order.Get<Array<Token>>()) {
      skinned->own_joints_ = *tokens;
      skinned->to_own_joints_ =
          JointMapper(skinned->skeleton_->joint_order().span(), tokens->span());
    }
  }
  if (bound.skinning_method.valid()) {
    const Value value = bound.skinning_method.Get(context, Time::Default());
    const Token* method = value.Get<Token>();
    if (method && *method == Skel().dualQuaternion) {
      skinned->method_ = SkinningMethod::kDualQuaternion;
    } else if (method && method->text() != "classicLinear") {
      skinned->known_method_ = false;
      skinned->warnings_.push_back("unknown skinning method " + method->str());
    }
  }
  skinned->InitInfluences();
  skinned->InitBlendShapes(context);
  const bool steady = skinned->has_joint_influences() && !skinned->rigid_ &&
                      !bound.joint_indices.Compile(context).MightBeTimeVarying(context) &&
                      !bound.joint_weights.Compile(context).MightBeTimeVarying(context);
  Array<int> indices;
  Array<float> weights;
  if (steady && skinned->JointInfluences(context, Time::At(0), &indices, &weights)) {
    auto prepared = PreparedInfluences::Create(
        indices.span(), weights.span(), skinned->per_point_,
        indices.size() / static_cast<size_t>(skinned->per_point_), skinned->joint_order().size());
    if (prepared.ok()) skinned->prepared_ = *std::move(prepared);
  }
  return skinned;
}

void SkinnedPrim::InitInfluences() {
  if (!binding_.joint_indices.valid() || !binding_.joint_weights.valid()) {
    rigid_ = false;
    return;
  }
  const Primvar indices(binding_.joint_indices);
  const Primvar weights(binding_.joint_weights);
  const int size = indices.ElementSize();
  const Token interpolation = indices.Interpolation();
  if (size != weights.ElementSize() || size <= 0) {
    warnings_.push_back("jointIndices and jointWeights need the same positive element size");
  } else if (!(interpolation == weights.Interpolation())) {
    warnings_.push_back("jointIndices and jointWeights need the same interpolation");
  } else if (!(interpolation == Geom().constant) && !(interpolation == Geom().vertex)) {
    warnings_.push_back("joint influences must be constant or vertex");
  } else {
    per_point_ = size;
    rigid_ = interpolation == Geom().constant && binding_.prim.IsA(Geom().Xformable);
  }
}

void SkinnedPrim::InitBlendShapes(RequestContext& context) {
  if (!binding_.blend_shapes.valid() || !binding_.blend_shape_targets.valid()) return;
  const Value order = binding_.blend_shapes.Get(context, Time::Default());
  const auto* names = order.Get<Array<Token>>();
  if (!names) return;
  has_blend_shapes_ = true;
  const SkelAnimation* animation = skeleton_->animation();
  to_shapes_ = JointMapper(
      animation ? animation->blend_shape_order().span() : std::span<const Token>(), names->span());
  for (const Path& target : binding_.blend_shape_targets.Targets()) {
    shapes_.push_back(ReadBlendShape(context, binding_.prim.stage().FindPrim(target), &warnings_));
  }
}

std::optional<std::vector<Matrix4d>> SkinnedPrim::JointTransforms(RequestContext& context,
                                                                  Time time) const {
  auto transforms = skeleton_->SkinningTransforms(context, time);
  if (!transforms || !own_joints_) return transforms;
  std::vector<Matrix4d> own;
  to_own_joints_.Remap<Matrix4d>(*transforms, Matrix4d::Identity(), &own);
  return own;
}

bool SkinnedPrim::JointInfluences(RequestContext& context, Time time, Array<int>* indices,
                                  Array<float>* weights) const {
  if (!has_joint_influences()) return false;
  const Value index_value = Primvar(binding_.joint_indices).ComputeFlattened(context, time);
  const Value weight_value = Primvar(binding_.joint_weights).ComputeFlattened(context, time);
  const auto* i = index_value.Get<Array<int>>();
  const auto* w = weight_value.Get<Array<float>>();
  if (!i || !w || i->size() != w->size()) return false;
  if (i->size() % static_cast<size_t>(per_point_) != 0) return false;
  if (Primvar(binding_.joint_indices).Interpolation() == Geom().constant &&
      i->size() != static_cast<size_t>(per_point_)) {
    return false;
  }
  *indices = *i;
  *weights = *w;
  return true;
}

Matrix4d SkinnedPrim::GeomBindTransform(RequestContext& context, Time time) const {
  if (!binding_.geom_bind_transform.valid()) return Matrix4d::Identity();
  const Value value = binding_.geom_bind_transform.Get(context, time);
  const Matrix4d* m = value.Get<Matrix4d>();
  return m ? *m : Matrix4d::Identity();
}

SkinnedPrim::Rest SkinnedPrim::RestPose(RequestContext& context, Time time,
                                        const SkinOptions& options) const {
  Rest rest;
  const Prim& prim = binding_.prim;
  if (!prim.IsA(Geom().PointBased)) return rest;
  if (options.points) {
    const auto points = AttributeValueAs<Array<Vec3f>>(context, prim, Geom().points, time);
    if (points) rest.points = ToVector(*points);
  }
  const Attribute normals = prim.GetAttribute(Geom().normals);
  if (!options.normals || !HasAuthoredValue(context, normals)) return rest;
  const Token interpolation = NormalsInterpolation(normals);
  const bool face_varying = interpolation == Geom().faceVarying && prim.IsA(Geom().Mesh);
  if (face_varying) {
    rest.face_vertex_indices =
        AttributeValueAs<Array<int>>(context, prim, Skel().faceVertexIndices, time);
    if (!rest.face_vertex_indices) return rest;
  } else if (!(interpolation == Geom().vertex) && !(interpolation == Geom().varying)) {
    return rest;
  }
  const Value value = normals.Get(context, time);
  if (const auto* held = value.Get<Array<Vec3f>>()) rest.normals = ToVector(*held);
  return rest;
}

void SkinnedPrim::Blend(RequestContext& context, Time time, Rest* rest) const {
  const SkelAnimation* animation = skeleton_->animation();
  if (!animation || !has_blend_shapes_ || shapes_.empty()) return;
  if (!animation->HasBlendShapeWeights(context)) return;
  const auto animated = animation->BlendShapeWeights(context, time);
  if (!animated) return;
  std::vector<float> weights;
  to_shapes_.Remap<float>(animated->span(), 0.0f, &weights);
  const auto active = ComputeSubShapeWeights(shapes_, weights);
  if (!active || active->empty()) {
    return;
  }
  if (rest->points) ApplyBlendShapes(shapes_, *active, BlendTarget::kPoints, &*rest->points);
  if (!rest->normals || rest->face_vertex_indices) return;
  if (ApplyBlendShapes(shapes_, *active, BlendTarget::kNormals, &*rest->normals)) {
    for (Vec3f& n : *rest->normals) n = Normalized(n);
  }
}

void SkinnedPrim::SkinRestPoints(const Pose& pose, Rest* rest, SkinResult* result) const {
  if (!rest->points || rest->points->empty()) return;
  std::optional<PreparedInfluences> fresh;
  const PreparedInfluences* prepared = pose.prepared;
  if (!prepared || prepared->points() != rest->points->size()) {
    auto created = PreparedInfluences::Create(pose.indices.span(), pose.weights.span(), per_point_,
                                              rest->points->size(), pose.joints.size());
    if (!created.ok()) {
      result->warnings.push_back(std::string(created.status().message()));
      rest->points.reset();
      return;
    }
    fresh = *std::move(created);
    prepared = &*fresh;
  }
  SkinPoints(method_, *prepared, pose.geom_bind, pose.joints, *rest->points, *rest->points,
             pose.executor);
  if (pose.to_prim == Matrix4d::Identity()) return;
  for (Vec3f& p : *rest->points) p = VecCast<float>(Transform(VecCast<double>(p), pose.to_prim));
}

void SkinnedPrim::SkinRestNormals(const Pose& pose, Rest* rest, SkinResult* result) const {
  if (!rest->normals || rest->normals->empty()) return;
  std::vector<int> indices(pose.indices.begin(), pose.indices.end());
  std::vector<float> weights(pose.weights.begin(), pose.weights.end());
  if (rest->face_vertex_indices) {
    indices.clear();
    weights.clear();
    ExpandByFaceVertex(*rest->face_vertex_indices, per_point_, pose.indices, &indices);
    ExpandByFaceVertex(*rest->face_vertex_indices, per_point_, pose.weights, &weights);
  }
  const auto prepared = PreparedInfluences::Create(indices, weights, per_point_,
                                                   rest->normals->size(), pose.joints.size());
  if (!prepared.ok()) {
    result->warnings.push_back(std::string(prepared.status().message()));
    rest->normals.reset();
    return;
  }
  std::vector<Matrix3d> joints;
  joints.reserve(pose.joints.size());
  for (const Matrix4d& m : pose.joints) joints.push_back(NormalMatrix(m));
  SkinNormals(method_, *prepared, NormalMatrix(pose.geom_bind), joints, *rest->normals,
              *rest->normals, pose.executor);
  const Matrix3d to_prim = NormalMatrix(pose.to_prim);
  for (Vec3f& n : *rest->normals) n = VecCast<float>(VecCast<double>(n) * to_prim);
}

std::optional<Matrix4d> SkinnedPrim::RigidTransform(const Pose& pose) const {
  const auto skinned =
      SkinTransform(method_, pose.geom_bind, pose.joints, pose.indices.span(), pose.weights.span());
  return skinned ? std::optional(*skinned * pose.to_parent) : std::nullopt;
}

void SkinnedPrim::SkinAll(RequestContext& context, XformCache& xforms, const SkinOptions& options,
                          const std::vector<Matrix4d>& joints, Rest* rest,
                          SkinResult* result) const {
  const Time time = xforms.time();
  Pose pose{.joints = joints,
            .indices = {},
            .weights = {},
            .geom_bind = {},
            .to_prim = {},
            .to_parent = {}};
  if (!JointInfluences(context, time, &pose.indices, &pose.weights)) {
    if (has_joint_influences()) result->warnings.push_back("joint influences have unfitting sizes");
    return;
  }
  if (prepared_ && !time.is_default()) pose.prepared = &*prepared_;
  pose.executor = options.executor;
  pose.geom_bind = GeomBindTransform(context, time);
  const Matrix4d skel_to_world = xforms.LocalToWorld(context, skeleton_->prim());
  if (!known_method_) {
    if (!rigid_) rest->points.reset();
    if (!rigid_) rest->normals.reset();
    return;
  }
  if (rigid_) {
    bool resets = false;
    xforms.Local(context, binding_.prim, &resets);
    pose.to_parent = skel_to_world;
    if (!resets)
      pose.to_parent = skel_to_world * Inverse(xforms.ParentToWorld(context, binding_.prim));
    result->xform = RigidTransform(pose);
    if (!result->xform) result->warnings.push_back("a joint index is out of range");
    return;
  }
  const Matrix4d prim_to_world = xforms.LocalToWorld(context, binding_.prim);
  pose.to_prim = skel_to_world == prim_to_world ? Matrix4d::Identity()
                                                : skel_to_world * Inverse(prim_to_world);
  SkinRestPoints(pose, rest, result);
  SkinRestNormals(pose, rest, result);
}

SkinResult SkinnedPrim::Deform(RequestContext& context, XformCache& xforms,
                               const SkinOptions& options) const {
  SkinResult result;
  result.warnings = warnings_;
  const Time time = xforms.time();
  result.joints = JointTransforms(context, time);
  Rest rest = RestPose(context, time, options);
  if (options.blend_shapes) Blend(context, time, &rest);
  if (result.joints) {
    SkinAll(context, xforms, options, *result.joints, &rest, &result);
  } else {
    result.warnings.push_back("the skeleton has no bind pose, or neither animation nor rest pose");
  }
  result.points = std::move(rest.points);
  result.normals = std::move(rest.normals);
  return result;
}

Array<double> SkinnedPrim::SampleTimes(RequestContext& context) const {
  std::vector<double> all;
  const auto add = [&](const Array<double>& times) {
    std::vector<double> merged;
    std::set_union(all.begin(), all.end(), times.begin(), times.end(), std::back_inserter(merged));
    all = std::move(merged);
  };
  if (skeleton_->animation()) add(skeleton_->animation()->SampleTimes(context));
  for (const Attribute& attribute :
       {binding_.joint_indices, binding_.joint_weights, binding_.geom_bind_transform,
        binding_.prim.GetAttribute(Geom().points), binding_.prim.GetAttribute(Geom().normals)}) {
    if (attribute.valid()) add(attribute.Compile(context).SampleTimes(context));
  }
  return Array<double>::FromVector(std::move(all));
}

}  // namespace stagedoor
