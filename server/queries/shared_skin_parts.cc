#include "server/queries/shared_skin_parts.h"

namespace stagedoor::server {
namespace {

constexpr size_t kEntryBytes = 128;  // about what an entry of a map takes
constexpr size_t kMostParts = size_t{1} << 16;
constexpr size_t kMostKeptBytes = size_t{64} << 20;
constexpr size_t kMostPoseBytes = size_t{256} << 20;

}  // namespace

uint32_t SharedSkinParts::NewNumber(uint32_t* last) {
  // A failure stays in the context, which the stream checks before each item.
  reserved_.Grow(kEntryBytes, "what skins share").IgnoreError();
  return ++*last;
}

void SharedSkinParts::Keep(const std::shared_ptr<const SkinningQuery>& skinned) {
  kept_bytes_ += skinned->byte_size();
  kept_.push_back(skinned);
}

SharedSkinParts::Part SharedSkinParts::SkeletonOf(
    const std::shared_ptr<const SkinningQuery>& skinned) {
  const auto [it, fresh] = skeletons_.try_emplace(&skinned->skeleton(), 0);
  if (fresh) {
    it->second = NewNumber(&last_skeleton_);
    Keep(skinned);
  }
  return {it->second, fresh};
}

SharedSkinParts::Part SharedSkinParts::BindingOf(
    const std::shared_ptr<const SkinningQuery>& skinned) {
  const auto [it, fresh] = bindings_.try_emplace(skinned.get(), 0);
  if (fresh) {
    it->second = NewNumber(&last_binding_);
    Keep(skinned);
  }
  return {it->second, fresh};
}

SharedSkinParts::Part SharedSkinParts::PoseOf(uint32_t skeleton, TimeCode time) {
  const auto [it, fresh] = poses_.try_emplace({skeleton, KeyOf(time)}, 0);
  if (fresh) it->second = NewNumber(&last_pose_);
  return {it->second, fresh};
}

void SharedSkinParts::SetPoseBytes(uint32_t skeleton, TimeCode time, size_t bytes) {
  pose_bytes_ += bytes;
  if (bytes == 0) poses_[{skeleton, KeyOf(time)}] = 0;
}

bool SharedSkinParts::IsFull() const {
  return skeletons_.size() + bindings_.size() + poses_.size() > kMostParts ||
         kept_bytes_ > kMostKeptBytes || pose_bytes_ > kMostPoseBytes;
}

void SharedSkinParts::Clear() {
  skeletons_.clear();
  bindings_.clear();
  poses_.clear();
  kept_.clear();
  kept_bytes_ = 0;
  pose_bytes_ = 0;
  reserved_ = Reservation(context_);
}

}  // namespace stagedoor::server
