#include "server/handlers/skel_handlers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skin_cache.h"
#include "server/converters/prim_wire.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_converter.h"
#include "server/converters/wire_text.h"
#include "server/errors.h"
#include "server/handlers/prim_batch.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor {
namespace {

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
      FillBinding(skins_[next_], response->add_bindings());
    }
    return first || response->bindings_size() != 0;
  }

 private:
  static void FillBinding(const FoundSkin& skin, v1::SkelBinding* out) {
    out->set_path(PathOf(skin.prim));
    out->set_skel_root(PathOf(skin.skel_root));
    out->set_skeleton(PathOf(skin.skeleton));
    if (skin.skinned == nullptr) return;
    out->set_animation_source(AnimationOf(*skin.skinned));
    FillTokens(skin.skinned->joint_order(), out->mutable_joint_order());
    out->set_rigid(skin.skinned->is_rigid());
    out->set_has_blend_shapes(skin.skinned->has_blend_shapes());
  }

  const StageUse use_;
  const std::vector<FoundSkin> skins_;
  size_t next_ = 0;
  bool started_ = false;
};

// ---------------------------------------------------------------------------------------- skinning

struct SkinView {
  SkinOptions options;
  bool joints = false;
};

// Appends the field of packed values, whose bytes are sent from where they are.
void AppendPinnedArray(int field, const Array<Vec3f>& array, WirePieces* out) {
  v1::PackedValues packed;
  FillPackedVectors({}, &packed);
  packed.set_count(array.size());
  std::string values = packed.SerializeAsString();
  const std::string_view bytes(reinterpret_cast<const char*>(array.data()),
                               array.size() * sizeof(Vec3f));
  if (!bytes.empty()) AppendWireHead(v1::PackedValues::kDataFieldNumber, bytes.size(), &values);
  std::string* text = &out->back().text;
  AppendWireHead(field, values.size() + bytes.size(), text);
  text->append(values);
  if (bytes.empty()) return;
  out->back().chunk = {bytes, std::make_shared<Array<Vec3f>>(array)};
  out->emplace_back();
}

// A SkinnedPrim whose arrays are not in the message.
struct SkinItem {
  v1::SkinnedPrim message;
  std::optional<Array<Vec3f>> points, normals;
};

void AppendSkinItem(const SkinItem& item, WirePieces* out) {
  WirePieces fields(1);
  item.message.AppendToString(&fields.back().text);
  if (item.points) AppendPinnedArray(v1::SkinnedPrim::kPointsFieldNumber, *item.points, &fields);
  if (item.normals) AppendPinnedArray(v1::SkinnedPrim::kNormalsFieldNumber, *item.normals, &fields);
  size_t size = 0;
  for (const WirePiece& piece : fields) size += piece.text.size() + piece.chunk.bytes.size();
  if (out->empty() || !out->back().chunk.bytes.empty()) out->emplace_back();
  AppendWireHead(v1::ComputeSkinnedPointsResponse::kItemsFieldNumber, size, &out->back().text);
  out->back().text.append(fields.front().text);
  out->back().chunk = std::move(fields.front().chunk);
  out->insert(out->end(), std::make_move_iterator(fields.begin() + 1),
              std::make_move_iterator(fields.end()));
}

// Deforms as many prims and times at once as a message holds, on the executor. The points are not
// copied into the message.
class SkinStream final : public ResponseStream<WirePieces> {
 public:
  SkinStream(StageUse use, std::vector<FoundSkin> skins, std::vector<Time> times, SkinView view,
             size_t message_bytes)
      : use_(std::move(use)),
        skins_(std::move(skins)),
        times_(std::move(times)),
        view_(view),
        message_bytes_(message_bytes) {
    for (const Time time : times_) poses_.emplace_back(time);
  }

  absl::StatusOr<bool> Next(RequestContext& context, WirePieces* out) override {
    if (AtEnd()) return false;
    out->emplace_back();
    if (item_ == 0) {
      AppendWireNumber(v1::ComputeSkinnedPointsResponse::kSnapshotFieldNumber,
                       use_.snapshot->number(), &out->back().text);
    }
    size_t bytes = 0;
    while (!AtEnd() && bytes < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      Deform(context);
      for (size_t i = 0; i < batch_.size(); ++i) {
        const FoundSkin& skin = skins_[batch_[i].skin];
        SkinItem item;
        if (skin.skinned == nullptr) {
          FillUnskinned(skin, &item.message);
        } else {
          FillSkin(*skin.skinned, batch_[i].time, results_[i], &item);
        }
        AppendSkinItem(item, out);
        bytes += ByteSize(item);
      }
    }
    SD_RETURN_IF_ERROR(context.Check());
    return bytes != 0;
  }
  bool AtEnd() const override { return item_ == skins_.size() * times_.size(); }

 private:
  static size_t ByteSize(const SkinItem& item) {
    const size_t points = item.points ? item.points->size() : 0;
    const size_t normals = item.normals ? item.normals->size() : 0;
    return (points + normals) * sizeof(Vec3f) + 256;
  }

  struct Item {
    size_t skin;
    size_t time;
  };
  static constexpr size_t kBatch = 16;

  // The next items, prim by prim, in batch_ and results_.
  void Deform(RequestContext& context) {
    batch_.clear();
    std::vector<SkinPose> at;
    for (; item_ < skins_.size() * times_.size() && batch_.size() < kBatch; ++item_) {
      const Item item{item_ / times_.size(), item_ % times_.size()};
      const auto& skinned = skins_[item.skin].skinned;
      if (skinned == nullptr && item.time != 0) continue;
      batch_.push_back(item);
      at.push_back(skinned ? skinned->PoseAt(context, poses_[item.time]) : SkinPose());
    }
    results_.clear();
    results_.resize(batch_.size());
    const auto deform = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && context.Check().ok(); ++i) {
        if (skins_[batch_[i].skin].skinned == nullptr) continue;
        results_[i] = skins_[batch_[i].skin].skinned->Deform(context, at[i], view_.options);
      }
    };
    if (batch_.size() > 1) {
      ParallelFor(*view_.options.executor, batch_.size(), 1, deform);
    } else {
      deform(0, batch_.size());
    }
  }

  static void FillUnskinned(const FoundSkin& skin, v1::SkinnedPrim* out) {
    out->set_path(PathOf(skin.prim));
    const absl::Status status =
        skin.skeleton.valid()
            ? InvalidArgumentError(PathOf(skin.skeleton), " is no valid Skeleton")
            : InvalidArgumentError(PathOf(skin.prim), " is not bound to a Skeleton");
    FillItemStatus(WithReason(status, reason::kWrongKind), 0, out->mutable_error());
  }

  void FillSkin(const SkinnedPrim& skinned, size_t time, const SkinResult& result,
                SkinItem* item) const {
    item->points = result.points;
    item->normals = result.normals;
    v1::SkinnedPrim* out = &item->message;
    out->set_path(PathOf(skinned.binding().prim));
    out->set_time_index(static_cast<uint32_t>(time));
    out->set_skeleton(PathOf(skinned.binding().skeleton));
    out->set_animation_source(AnimationOf(skinned));
    out->set_rigid(skinned.is_rigid());
    if (view_.joints) FillTokens(skinned.joint_order(), out->mutable_joint_order());
    if (view_.joints && result.joints) {
      FillPackedMatrices(*result.joints, out->mutable_joint_transforms());
    }
    if (result.xform) {
      const double* numbers = &result.xform->m[0][0];
      out->mutable_xform()->Add(numbers, numbers + 16);
    }
    for (const std::string& warning : result.warnings) out->add_warnings(WireText(warning));
  }

  const StageUse use_;
  const std::vector<FoundSkin> skins_;
  const std::vector<Time> times_;
  const SkinView view_;
  const size_t message_bytes_;
  std::vector<PoseCache> poses_;  // by time
  std::vector<Item> batch_;
  std::vector<SkinResult> results_;
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
    if (time == 0) LookUp(context, batch_.prims[prim]);
    if (skeleton_ == nullptr) {
      const absl::Status status =
          WithReason(InvalidArgumentError(PathOf(batch_.prims[prim]),
                                          " is no valid Skeleton, nor bound to one"),
                     reason::kWrongKind);
      return FillItemStatus(status, out->item(), out->mutable_error());
    }
    if (time == 0) {
      FillTokens(skinned_ ? skinned_->joint_order() : skeleton_->joint_order(),
                 out->mutable_joint_order());
    }
    auto transforms = Transforms(context, *skeleton_, time);
    if (!transforms) return;
    FillPackedMatrices(skinned_ ? skinned_->InJointOrder(*std::move(transforms)) : *transforms,
                       out->mutable_transforms());
  }

  // A skeleton, or a skinned prim and its skeleton.
  void LookUp(RequestContext& context, const Prim& prim) {
    SkinCache& cache = SkinCache::Of(batch_.use.stage());
    skinned_ = nullptr;
    skeleton_ = cache.SkeletonOf(context, prim);
    if (skeleton_ != nullptr) return;
    std::vector<FoundSkin> found;
    if (!cache.FindAt(context, prim, &found).ok() || found.empty()) return;
    skinned_ = found.front().skinned;
    skeleton_ = cache.SkeletonOf(context, found.front().skeleton);
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
  std::vector<XformCache> xforms_;  // by time
  // Of the prim whose items are being made; null: none.
  std::shared_ptr<const Skeleton> skeleton_;
  std::shared_ptr<const SkinnedPrim> skinned_;
  size_t item_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ListSkelBindingsResponse>> ListSkelBindings(
    ServerState& state, RequestContext& context, const v1::ListSkelBindingsRequest& request) {
  SD_ASSIGN_OR_RETURN(StageUse use, UseStage(state, request.stage()));
  SkinCache& cache = SkinCache::Of(use.stage());
  std::vector<FoundSkin> skins;
  for (const std::string& root : request.roots()) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(use.stage(), root));
    SD_ASSIGN_OR_RETURN(const auto found, cache.FindBelow(context, prim));
    skins.insert(skins.end(), found.begin(), found.end());
  }
  if (request.roots().empty()) {
    SD_ASSIGN_OR_RETURN(skins, cache.FindBelow(context, use.stage().PseudoRoot()));
  }
  return std::make_unique<BindingStream>(std::move(use), std::move(skins));
}

absl::StatusOr<ResponseStreamPtr<v1::ComputeJointTransformsResponse>> ComputeJointTransforms(
    ServerState& state, RequestContext&, const v1::ComputeJointTransformsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, request));
  return std::make_unique<JointStream>(std::move(batch), request.space(), request.at_rest(),
                                       state.limits.message_bytes);
}

absl::StatusOr<ResponseStreamPtr<WirePieces>> ComputeSkinnedPoints(
    ServerState& state, RequestContext& context, const v1::ComputeSkinnedPointsRequest& request) {
  SD_ASSIGN_OR_RETURN(StageUse use, UseStage(state, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<Time> times, ParseTimes(request.times(), state.limits.max_times));
  SkinCache& cache = SkinCache::Of(use.stage());
  std::vector<FoundSkin> skins;
  std::unordered_set<Path> seen;
  for (const std::string& path : request.paths()) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(use.stage(), path));
    if (!seen.insert(prim.path()).second) continue;
    const size_t before = skins.size();
    SD_RETURN_IF_ERROR(cache.FindAt(context, prim, &skins));
    if (skins.size() == before) skins.push_back({prim, Prim(), Prim(), nullptr});
  }
  if (request.paths().empty()) {
    SD_ASSIGN_OR_RETURN(skins, cache.FindBelow(context, use.stage().PseudoRoot()));
  }
  SkinView view;
  view.options.world_space = request.world_space();
  view.options.normals = request.with_normals();
  view.options.executor = state.stages.environment().executor;
  view.joints = request.with_joints();
  return std::make_unique<SkinStream>(std::move(use), std::move(skins), std::move(times), view,
                                      state.limits.message_bytes);
}

}  // namespace stagedoor
