#include "server/frames/changed_parts.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/paced_sort.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

// The memory of so many objects is reserved at a time. A vector grows, and is sorted, with as much
// memory again.
constexpr size_t kObjectsOfSlab = 4096;
constexpr size_t kObjectBytes = 2 * sizeof(FrameId);

// The digest of an object that the client has.
constexpr uint64_t kHasObject = 1;

}  // namespace

uint64_t ChangedParts::KeyOf(const FramePartId& part) const {
  KeyedHasher hasher(key_);
  hasher.Add({reinterpret_cast<const char*>(&part.object), sizeof(part.object)});
  hasher.Add({reinterpret_cast<const char*>(&part.kind), sizeof(part.kind)});
  hasher.Add(part.name);
  return hasher.Finish();
}

uint64_t ChangedParts::KeyOf(FrameId object) const {
  KeyedHasher hasher(key_);
  hasher.Add({reinterpret_cast<const char*>(&object), sizeof(object)});
  return hasher.Finish();
}

bool ChangedParts::HasObject(FrameId object) {
  if (object == 0) return true;
  if (object != latest_) {
    latest_ = object;
    has_latest_ = held_->Find(KeyOf(object)) == kHasObject;
  }
  return has_latest_;
}

absl::StatusOr<bool> ChangedParts::Wants(RequestContext& context, const FramePart& part) {
  KeyedHasher hasher(key_);
  SD_RETURN_IF_ERROR(part.VisitBytes(context, /*by_place=*/true,
                                     [&](std::string_view bytes) { hasher.Add(bytes); }));
  const uint64_t digest = std::max<uint64_t>(hasher.Finish(), 1);
  const uint64_t key = KeyOf(part.id());
  digests_.Set(key, digest);
  if (held_ == nullptr) return true;
  // Parts of an object that the client has no more may still be known.
  return !HasObject(part.id().object) || held_->Find(key) != digest;
}

void ChangedParts::AddObject(FrameId object) {
  const uint64_t key = KeyOf(object);
  digests_.Set(key, kHasObject);
  digests_.AddObject(object);
  if (held_ == nullptr) return;
  if (objects_.size() % kObjectsOfSlab == 0) {
    // A failure stays in the context, which is checked before each object.
    reserved_.Grow(kObjectsOfSlab * kObjectBytes, "the objects of a frame").IgnoreError();
  }
  objects_.push_back(object);
}

absl::StatusOr<std::vector<FrameId>> ChangedParts::ObjectsGone(RequestContext& context) {
  std::vector<FrameId> gone;
  if (held_ == nullptr) return gone;
  Pacer pacer(context);
  SD_RETURN_IF_ERROR(
      PacedStableSort(pacer, objects_.begin(), objects_.end(), std::less<FrameId>()));
  held_->VisitObjects([&](FrameId object) {
    constexpr int64_t kStepsPerObject = 4;
    if (held_->Find(KeyOf(object)) == kHasObject &&
        !std::binary_search(objects_.begin(), objects_.end(), object)) {
      gone.push_back(object);
    }
    return pacer.Go(kStepsPerObject);
  });
  SD_RETURN_IF_ERROR(context.Check());
  std::sort(gone.begin(), gone.end());
  return gone;
}

}  // namespace stagedoor::server
