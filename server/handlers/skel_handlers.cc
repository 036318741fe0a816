#include "server/handlers/skel_handlers.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/xform_cache.h"
#include "scene/values/matrix_math.h"
#include "server/converters/time_converter.h"
#include "server/converters/wire_text.h"
#include "server/errors.h"
#include "server/handlers/prim_batch.h"
#include "server/handlers/skinned_prims.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor {
namespace {

template <typename T>
void FillPacked(const std::vector<T>& values, v1::ComponentType type, v1::ElementShape shape,
                uint32_t components, v1::PackedValues* out) {
  out->set_component_type(type);
  out->set_shape(shape);
  out->set_components(components);
  out->set_count(values.size());
  out->set_data(values.data(), values.size() * sizeof(T));
}

void FillMatrices(const std::vector<Matrix4d>& matrices, v1::PackedValues* out) {
  FillPacked(matrices, v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_MATRIX, 16, out);
}

void FillVectors(const std::vector<Vec3f>& vectors, v1::PackedValues* out) {
  FillPacked(vectors, v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 3, out);
}

Vec3d ToDouble(const Vec3f& v) { return {{v[0], v[1], v[2]}}; }

Vec3f ToFloat(const Vec3d& v) {
  return {{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])}};
}

Vec3d Normalized(const Vec3d& v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  return length > 0 ? Vec3d{{v[0] / length, v[1] / length, v[2] / length}} : v;
}

std::string PathOf(const Prim& prim) {
  return prim.valid() ? prim.path().ToString() : std::string();
}

void FillTokens(const Array<Token>& tokens, google::protobuf::RepeatedPtrField<std::string>* out) {
  for (const Token token : tokens) out->Add(WireText(token.text()));
}

std::string AnimationOf(const SkinnedPrim& skinned) {
  const SkelAnimation* animation = skinned.skeleton().animation();
  return animation == nullptr ? std::string() : PathOf(animation->prim());
}

// --------------------------------------------------------------------------------------- bindings

class BindingStream final : public ResponseStream<v1::ListSkelBindingsResponse> {
 public:
  BindingStream(StageUse use, std::vector<FoundSkin> skins)
      : use_(std::move(use)), skins_(std::move(skins)) {}

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::ListSkelBindingsResponse* response) override {
    constexpr size_t kPerMessage = 200;
    const bool first = next_ == 0 && !std::exchange(started_, true);
    response->set_snapshot(use_.snapshot->number());
    const size_t last = std::min(skins_.size(), next_ + kPerMessage);
    for (; next_ < last; ++next_) {
      SD_RETURN_IF_ERROR(context.Check());
      FillBinding(context, skins_[next_], response->add_bindings());
    }
    return first || response->bindings_size() != 0;
  }

 private:
  void FillBinding(RequestContext& context, const FoundSkin& skin, v1::SkelBinding* out) {
    out->set_path(PathOf(skin.binding.prim));
    out->set_skel_root(PathOf(skin.skel_root));
    out->set_skeleton(PathOf(skin.binding.skeleton));
    const auto skinned = compiler_.Compile(context, skin.binding);
    if (skinned == nullptr) return;
    out->set_animation_source(AnimationOf(*skinned));
    FillTokens(skinned->joint_order(), out->mutable_joint_order());
    out->set_rigid(skinned->is_rigid());
    out->set_has_blend_shapes(skinned->has_blend_shapes());
  }

  const StageUse use_;
  const std::vector<FoundSkin> skins_;
  SkinCompiler compiler_;
  size_t next_ = 0;
  bool started_ = false;
};

// ---------------------------------------------------------------------------------------- skinning

struct SkinView {
  bool world_space = false;
  bool normals = false;
  bool joints = false;
};

class SkinStream final : public ResponseStream<v1::ComputeSkinnedPointsResponse> {
 public:
  SkinStream(StageUse use, std::vector<FoundSkin> skins, std::vector<Time> times, SkinView view,
             Executor* executor, size_t message_bytes)
      : use_(std::move(use)),
        skins_(std::move(skins)),
        times_(std::move(times)),
        view_(view),
        message_bytes_(message_bytes) {
    options_.normals = view.normals;
    options_.executor = executor;
    for (const Time time : times_) xforms_.emplace_back(time);
  }

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::ComputeSkinnedPointsResponse* response) override {
    if (item_ == 0) response->set_snapshot(use_.snapshot->number());
    size_t bytes = 0;
    while (item_ < skins_.size() * times_.size() && bytes < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      const size_t skin = item_ / times_.size(), time = item_ % times_.size();
      if (time == 0) skinned_ = compiler_.Compile(context, skins_[skin].binding);
      ++item_;
      if (skinned_ == nullptr) continue;
      v1::SkinnedPrim* out = response->add_items();
      FillSkin(context, time, out);
      bytes += out->points().data().size() + out->normals().data().size() + 256;
    }
    return response->items_size() != 0;
  }

 private:
  void FillSkin(RequestContext& context, size_t time, v1::SkinnedPrim* out) {
    out->set_path(PathOf(skinned_->binding().prim));
    out->set_time_index(static_cast<uint32_t>(time));
    out->set_skeleton(PathOf(skinned_->binding().skeleton));
    out->set_animation_source(AnimationOf(*skinned_));
    out->set_rigid(skinned_->is_rigid());
    if (view_.joints) FillTokens(skinned_->joint_order(), out->mutable_joint_order());
    SkinResult result = skinned_->Deform(context, xforms_[time], options_);
    if (view_.joints && result.joints) {
      FillMatrices(*result.joints, out->mutable_joint_transforms());
    }
    if (view_.world_space) ToWorld(context, time, &result);
    if (result.points) FillVectors(*result.points, out->mutable_points());
    if (view_.normals && result.normals) FillVectors(*result.normals, out->mutable_normals());
    if (result.xform) {
      const double* numbers = &result.xform->m[0][0];
      out->mutable_xform()->Add(numbers, numbers + 16);
    }
    for (const std::string& warning : result.warnings) out->add_warnings(WireText(warning));
  }

  // Points by the prim's transform, normals by the inverse transpose of its linear part.
  void ToWorld(RequestContext& context, size_t time, SkinResult* result) {
    const Matrix4d& world = xforms_[time].LocalToWorld(context, skinned_->binding().prim);
    if (result->points) {
      for (Vec3f& p : *result->points) p = ToFloat(TransformAffine(ToDouble(p), world));
    }
    if (!result->normals) return;
    const Matrix3d inverse = Inverse(Matrix3Of(world));
    Matrix3d transposed;
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) transposed[i][j] = inverse[j][i];
    }
    for (Vec3f& n : *result->normals) n = ToFloat(Normalized(ToDouble(n) * transposed));
  }

  const StageUse use_;
  const std::vector<FoundSkin> skins_;
  const std::vector<Time> times_;
  const SkinView view_;
  const size_t message_bytes_;
  SkinOptions options_;
  SkinCompiler compiler_;
  std::vector<XformCache> xforms_;  // by time
  std::shared_ptr<const SkinnedPrim> skinned_;
  size_t item_ = 0;
};

// ------------------------------------------------------------------------------------------ joints

class JointStream final : public ResponseStream<v1::ComputeJointTransformsResponse> {
 public:
  JointStream(PrimBatch batch, v1::JointSpace space, bool at_rest, size_t message_bytes)
      : batch_(std::move(batch)), space_(space), at_rest_(at_rest), message_bytes_(message_bytes) {
    for (const Time time : batch_.times) xforms_.emplace_back(time);
  }

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::ComputeJointTransformsResponse* response) override {
    if (item_ == 0) response->set_snapshot(batch_.use.snapshot->number());
    size_t bytes = 0;
    while (item_ < batch_.item_count() && bytes < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      v1::JointTransforms* out = response->add_items();
      out->set_item(static_cast<uint32_t>(item_));
      FillItem(context, item_ / batch_.times.size(), item_ % batch_.times.size(), out);
      bytes += out->ByteSizeLong();
      ++item_;
    }
    return response->items_size() != 0;
  }

 private:
  void FillItem(RequestContext& context, size_t prim, size_t time, v1::JointTransforms* out) {
    if (!batch_.prims[prim].valid()) {
      return FillItemStatus(batch_.failures[prim], out->item(), out->mutable_error());
    }
    const auto skeleton = compiler_.SkeletonOf(context, batch_.prims[prim]);
    if (skeleton == nullptr) {
      const absl::Status status =
          WithReason(InvalidArgumentError(PathOf(batch_.prims[prim]), " is no valid Skeleton"),
                     reason::kWrongKind);
      return FillItemStatus(status, out->item(), out->mutable_error());
    }
    if (time == 0) FillTokens(skeleton->joint_order(), out->mutable_joint_order());
    const auto transforms = Transforms(context, *skeleton, time);
    if (transforms) FillMatrices(*transforms, out->mutable_transforms());
  }

  std::optional<std::vector<Matrix4d>> Transforms(RequestContext& context, const Skeleton& skeleton,
                                                  size_t index) {
    const Time time = batch_.times[index];
    switch (space_) {
      case v1::JOINT_SPACE_LOCAL:
        return skeleton.JointLocalTransforms(context, time, at_rest_);
      case v1::JOINT_SPACE_SKINNING:
        return skeleton.SkinningTransforms(context, time);
      case v1::JOINT_SPACE_WORLD: {
        const Matrix4d world = xforms_[index].LocalToWorld(context, skeleton.prim());
        return skeleton.JointSkelTransforms(context, time, at_rest_, &world);
      }
      default:
        return skeleton.JointSkelTransforms(context, time, at_rest_);
    }
  }

  const PrimBatch batch_;
  const v1::JointSpace space_;
  const bool at_rest_;
  const size_t message_bytes_;
  SkinCompiler compiler_;
  std::vector<XformCache> xforms_;  // by time
  size_t item_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ListSkelBindingsResponse>> ListSkelBindings(
    ServerState& state, RequestContext& context, const v1::ListSkelBindingsRequest& request) {
  SD_ASSIGN_OR_RETURN(StageUse use, UseStage(state, request.stage()));
  std::vector<FoundSkin> skins;
  for (const std::string& root : request.roots()) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(use.stage(), root));
    for (FoundSkin& skin : FindSkins(context, use.stage(), prim, nullptr)) {
      skins.push_back(std::move(skin));
    }
  }
  if (request.roots().empty()) {
    skins = FindSkins(context, use.stage(), use.stage().PseudoRoot(), nullptr);
  }
  SD_RETURN_IF_ERROR(context.Check());
  return std::make_unique<BindingStream>(std::move(use), std::move(skins));
}

absl::StatusOr<ResponseStreamPtr<v1::ComputeJointTransformsResponse>> ComputeJointTransforms(
    ServerState& state, RequestContext&, const v1::ComputeJointTransformsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, request));
  return std::make_unique<JointStream>(std::move(batch), request.space(), request.at_rest(),
                                       state.limits.message_bytes);
}

absl::StatusOr<ResponseStreamPtr<v1::ComputeSkinnedPointsResponse>> ComputeSkinnedPoints(
    ServerState& state, RequestContext& context, const v1::ComputeSkinnedPointsRequest& request) {
  SD_ASSIGN_OR_RETURN(StageUse use, UseStage(state, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<Time> times, ParseTimes(request.times(), state.limits.max_times));
  std::unordered_set<Path> wanted;
  for (const std::string& path : request.paths()) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(use.stage(), path));
    wanted.insert(prim.path());
  }
  std::vector<FoundSkin> skins = FindSkins(context, use.stage(), use.stage().PseudoRoot(),
                                           request.paths().empty() ? nullptr : &wanted);
  SD_RETURN_IF_ERROR(context.Check());
  SkinView view;
  view.world_space = request.world_space();
  view.normals = request.with_normals();
  view.joints = request.with_joints();
  return std::make_unique<SkinStream>(std::move(use), std::move(skins), std::move(times), view,
                                      state.stages.environment().executor,
                                      state.limits.message_bytes);
}

}  // namespace stagedoor
