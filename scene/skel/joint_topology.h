#ifndef STAGEDOOR_SCENE_SKEL_JOINT_TOPOLOGY_H_
#define STAGEDOOR_SCENE_SKEL_JOINT_TOPOLOGY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/paths/token.h"

namespace stagedoor {

// The parents of a skeleton's joints ("Joint Hierarchy" in the UsdSkel schema documentation).
// Corresponds to UsdSkelTopology. Immutable and thread-safe.
class JointTopology {
 public:
  JointTopology() = default;
  // Takes joints as paths, such as "Hips/Spine": the parent is the nearest ancestor that is a joint
  // too. `context` is charged for long paths and may be null; the result is incomplete once it is
  // done.
  explicit JointTopology(std::span<const Token> joints, RequestContext* context = nullptr);

  // INVALID_ARGUMENT if a joint is listed before its parent.
  absl::Status Validate() const;

  size_t size() const { return parents_.size(); }
  // The index of the parent; -1 for root joints.
  int parent(size_t joint) const { return parents_[joint]; }
  std::span<const int> parents() const { return parents_; }

 private:
  std::vector<int> parents_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_JOINT_TOPOLOGY_H_
