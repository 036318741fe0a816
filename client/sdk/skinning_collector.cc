#include "client/sdk/skinning_collector.h"

#include <cstring>
#include <span>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"

namespace stagedoor::sdk {
namespace {

template <typename Message, typename Parts>
void KeepParts(const google::protobuf::RepeatedPtrField<Message>& messages, Parts* parts) {
  for (const Message& message : messages) {
    (*parts)[message.number()] = std::make_shared<const Message>(message);
  }
}

// The part with a number; null if it was not sent.
template <typename Parts>
typename Parts::mapped_type PartOf(const Parts& parts, uint32_t number) {
  const auto found = parts.find(number);
  return found == parts.end() ? nullptr : found->second;
}

// The elements of an array, which `owner` keeps in memory; empty if they are of another type.
template <typename T>
Array<T> ScalarsOf(const v1::PackedValues& packed, std::shared_ptr<const void> owner) {
  return {PackedNumbers<T>(packed), std::move(owner)};
}

Array<Matrix4d> MatricesOf(const v1::PackedValues& packed, std::shared_ptr<const void> owner) {
  const std::span<const double> numbers = PackedNumbers<double>(packed);
  const std::span<const Matrix4d> matrices(reinterpret_cast<const Matrix4d*>(numbers.data()),
                                           numbers.size() / 16);
  return {matrices, std::move(owner)};
}

// The only matrix of an array; the zero matrix if it has none.
Matrix4d MatrixOf(const v1::PackedValues& packed) {
  Matrix4d matrix{};
  const std::span<const double> numbers = PackedNumbers<double>(packed);
  if (numbers.size() == 16) std::memcpy(&matrix, numbers.data(), sizeof(matrix));
  return matrix;
}

// `Message`: an item, or the binding if the influences do not vary.
template <typename Message>
absl::StatusOr<JointInfluences> InfluencesOf(std::shared_ptr<const Message> owner) {
  const v1::JointInfluences& from = owner->influences();
  JointInfluences influences;
  influences.per_component = from.influences_per_component();
  influences.constant = from.interpolation() == "constant";
  influences.out_of_range = from.out_of_range();
  influences.indices = ScalarsOf<int32_t>(from.indices(), owner);
  influences.weights = ScalarsOf<float>(from.weights(), owner);
  const size_t count = influences.indices.size();
  const bool whole =
      influences.per_component == 0 ? count == 0 : count % influences.per_component == 0;
  if (!whole || influences.weights.size() != count) {
    return DataLossError("the daemon's reply is inconsistent: ", count, " joint indices, ",
                         influences.weights.size(), " weights");
  }
  return influences;
}

Skinning SkinningOf(const v1::SkinningItem& item,
                    std::shared_ptr<const v1::SkinningBinding> binding,
                    std::shared_ptr<const v1::SkinningSkeleton> skeleton) {
  Skinning skinning;
  skinning.path = item.path();
  skinning.joint_mapping = ScalarsOf<int32_t>(binding->joint_mapping(), binding);
  skinning.inverse_bind_transforms = MatricesOf(skeleton->inverse_bind_transforms(), skeleton);
  skinning.binding = std::move(binding);
  skinning.skeleton = std::move(skeleton);
  return skinning;
}

}  // namespace

absl::Status SkinningCollector::Add(const v1::ComputeSkinningResponse& part) {
  if (!part.snapshot().empty()) snapshot_ = part.snapshot();
  if (part.starts_over()) {
    skeletons_.clear();
    poses_.clear();
    bindings_.clear();
  }
  KeepParts(part.skeletons(), &skeletons_);
  KeepParts(part.poses(), &poses_);
  KeepParts(part.bindings(), &bindings_);
  for (const v1::SkinningItem& item : part.items()) SD_RETURN_IF_ERROR(AddItem(item));
  return absl::OkStatus();
}

absl::Status SkinningCollector::AddItem(const v1::SkinningItem& item) {
  if (item.has_error()) {
    Skinning& failed = prims_.emplace_back();
    failed.path = item.path();
    failed.status = ItemErrorAt(item.path(), item.error());
    return absl::OkStatus();
  }
  auto binding = PartOf(bindings_, item.binding());
  auto skeleton = binding == nullptr ? nullptr : PartOf(skeletons_, binding->skeleton());
  auto joints = PartOf(poses_, item.pose());
  if (skeleton == nullptr || (item.pose() != 0 && joints == nullptr)) {
    return DataLossError("the daemon's reply is inconsistent: an item refers to what was not sent");
  }
  auto message = std::make_shared<const v1::SkinningItem>(item);
  SkinningPose pose;
  pose.time_index = item.time_index();
  if (joints != nullptr) {
    pose.skinning_transforms = MatricesOf(joints->skinning_transforms(), joints);
  }
  pose.skeleton_to_prim = MatrixOf(message->skeleton_to_prim());
  pose.geom_bind_transform =
      MatrixOf(message->has_geom_bind_transform() ? message->geom_bind_transform()
                                                  : binding->geom_bind_transform());
  SD_ASSIGN_OR_RETURN(pose.influences,
                      message->has_influences() ? InfluencesOf(message) : InfluencesOf(binding));
  pose.blend_shape_weights = ScalarsOf<float>(message->blend_shape_weights(), message);
  pose.sub_shape_weights = ScalarsOf<float>(message->sub_shape_weights(), message);
  pose.blend_shape_indices = ScalarsOf<uint32_t>(message->blend_shape_indices(), message);
  pose.sub_shape_indices = ScalarsOf<uint32_t>(message->sub_shape_indices(), message);
  pose.message = std::move(message);
  // All items of a path come together.
  const bool same =
      !prims_.empty() && prims_.back().status.ok() && prims_.back().path == item.path();
  if (!same) prims_.push_back(SkinningOf(item, std::move(binding), std::move(skeleton)));
  prims_.back().poses.push_back(std::move(pose));
  return absl::OkStatus();
}

}  // namespace stagedoor::sdk
