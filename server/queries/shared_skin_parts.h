#ifndef STAGEDOOR_SERVER_QUERIES_SHARED_SKIN_PARTS_H_
#define STAGEDOOR_SERVER_QUERIES_SHARED_SKIN_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/skel/skinning_query.h"
#include "server/queries/skin_jobs.h"

namespace stagedoor::server {

// The numbers of the skeletons, poses and bindings that a ComputeSkinning stream has sent, by what
// they were made of. Numbers start at 1 and are never used twice. For one thread.
class SharedSkinParts {
 public:
  explicit SharedSkinParts(RequestContext& context) : context_(context), reserved_(context) {}

  // The number of a part, and whether it is new: then the caller sends the part.
  struct Part {
    uint32_t number;
    bool fresh;
  };
  Part SkeletonOf(const std::shared_ptr<const SkinningQuery>& skinned);
  Part BindingOf(const std::shared_ptr<const SkinningQuery>& skinned);
  // The pose of a skeleton, which has been numbered, at a time.
  Part PoseOf(uint32_t skeleton, TimeCode time);
  // Counts the bytes of the latest pose. Without any, the skeleton has no pose at that time, whose
  // number is 0 from then on.
  void SetPoseBytes(uint32_t skeleton, TimeCode time, size_t bytes);

  // Whether so much was sent that clients should not have to keep it, nor this its numbers.
  bool IsFull() const;
  // Forgets all numbers.
  void Clear();

 private:
  using PoseKey = std::pair<uint32_t, TimeKey>;

  // Counts an entry. Its memory is reserved in the context, which ends the request if it cannot be.
  uint32_t NewNumber(uint32_t* last);
  void Keep(const std::shared_ptr<const SkinningQuery>& skinned);

  RequestContext& context_;
  Reservation reserved_;
  std::map<const SkeletonQuery*, uint32_t> skeletons_;
  std::map<const SkinningQuery*, uint32_t> bindings_;
  std::map<PoseKey, uint32_t> poses_;
  // Keeps the addresses of the keys from being used again.
  std::vector<std::shared_ptr<const SkinningQuery>> kept_;
  size_t kept_bytes_ = 0;
  size_t pose_bytes_ = 0;
  uint32_t last_skeleton_ = 0, last_binding_ = 0, last_pose_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_SHARED_SKIN_PARTS_H_
