#ifndef STAGEDOOR_SERVER_FRAMES_CHANGED_PARTS_H_
#define STAGEDOOR_SERVER_FRAMES_CHANGED_PARTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/keyed_hasher.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "server/frame_memory/frame_digests.h"
#include "server/frame_memory/frame_memory.h"
#include "server/frames/frame_filter.h"

namespace stagedoor::server {

// Sends the parts that differ from what the client holds, and collects what it then holds.
class ChangedParts final : public FrameFilter {
 public:
  // Everything is wanted if `held` is null. `memory` and `digests` must outlive the filter.
  ChangedParts(RequestContext& context, const FrameMemory& memory, FrameMemory::Pointer held,
               FrameDigestsBuilder& digests)
      : key_(memory.hash_key()), held_(std::move(held)), digests_(digests), reserved_(context) {}

  absl::StatusOr<bool> Wants(RequestContext& context, const FramePart& part) override;
  void Forget(const FramePartId& part) override { digests_.Set(KeyOf(part), 0); }
  void AddObject(FrameId object) override;
  void RemoveObject(FrameId object) override { digests_.Set(KeyOf(object), 0); }
  absl::StatusOr<std::vector<FrameId>> ObjectsGone(RequestContext& context) override;

 private:
  uint64_t KeyOf(const FramePartId& part) const;
  uint64_t KeyOf(FrameId object) const;
  // Whether the client has an object; 0 is always there.
  bool HasObject(FrameId object);

  const KeyedHasher::Key& key_;
  const FrameMemory::Pointer held_;
  FrameDigestsBuilder& digests_;
  std::vector<FrameId> objects_;  // of the frame, if there is something held
  Reservation reserved_;
  FrameId latest_ = 0;  // the object that HasObject was asked about
  bool has_latest_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_CHANGED_PARTS_H_
