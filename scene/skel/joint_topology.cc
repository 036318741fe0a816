#include "scene/skel/joint_topology.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace stagedoor {

JointTopology::JointTopology(std::span<const Token> joints, RequestContext* context) {
  std::unordered_map<std::string_view, int> by_path;
  by_path.reserve(joints.size());
  // If a joint is listed twice, the last one is the parent of its children.
  for (size_t i = 0; i < joints.size(); ++i) by_path[joints[i].text()] = static_cast<int>(i);
  // A joint without an ancestor that is a joint is a root, of which there may be several.
  parents_.assign(joints.size(), -1);
  constexpr size_t kWorkPerCheck = 16384;
  size_t work = 0;
  for (size_t i = 0; i < joints.size(); ++i) {
    std::string_view path = joints[i].text();
    while (true) {
      // Each look-up hashes the rest of a path that may have any number of elements.
      work += 16 + path.size() / 8;
      if (work > kWorkPerCheck && context) {
        if (!context->Spend(work / 16).ok()) return;
        work = 0;
      }
      const size_t slash = path.rfind('/');
      if (slash == std::string_view::npos || slash == 0) break;
      path = path.substr(0, slash);
      const auto it = by_path.find(path);
      if (it == by_path.end()) continue;
      parents_[i] = it->second;
      break;
    }
  }
}

absl::Status JointTopology::Validate() const {
  // Parents first: skeleton space is then computed in one pass (ConcatMatrices).
  for (size_t i = 0; i < parents_.size(); ++i) {
    if (parents_[i] < static_cast<int>(i)) continue;
    return absl::InvalidArgumentError("joint " + std::to_string(i) +
                                      " is listed before its parent " +
                                      std::to_string(parents_[i]));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
