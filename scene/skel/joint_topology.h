// JointTopology: parents of a skeleton's joints (UsdSkelTopology). Immutable.
#ifndef STAGEDOOR_SCENE_SKEL_JOINT_TOPOLOGY_H_
#define STAGEDOOR_SCENE_SKEL_JOINT_TOPOLOGY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/paths/token.h"

namespace stagedoor {

class JointTopology {
 public:
  JointTopology() = default;
  // From joints as paths ("Hips/Spine"): the parent is the nearest ancestor that is a joint too.
  // `context`, which may be null, pays for long paths; incomplete once it is done.
  explicit JointTopology(std::span<const Token> joints, RequestContext* context = nullptr);

  // INVALID_ARGUMENT where a joint comes before its parent.
  absl::Status Validate() const;

  size_t size() const { return parents_.size(); }
  // -1 for roots.
  int parent(size_t joint) const { return parents_[joint]; }
  std::span<const int> parents() const { return parents_; }

 private:
  std::vector<int> parents_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_JOINT_TOPOLOGY_H_
