#include "scene/skel/joint_mapper.h"

#include <algorithm>
#include <unordered_map>

namespace stagedoor {

JointMapper::JointMapper(std::span<const Token> source, std::span<const Token> target)
    : target_size_(target.size()) {
  targets_.assign(source.size(), -1);
  if (source.empty() || target.empty()) return;
  std::unordered_map<Token, int> by_name;
  for (size_t i = 0; i < target.size(); ++i) by_name[target[i]] = static_cast<int>(i);
  std::vector<bool> reached(target.size());
  identity_ = source.size() == target.size();
  for (size_t i = 0; i < source.size(); ++i) {
    const auto it = by_name.find(source[i]);
    if (it != by_name.end()) {
      targets_[i] = it->second;
      reached[static_cast<size_t>(it->second)] = true;
      ++mapped_;
    }
    identity_ = identity_ && targets_[i] == static_cast<int>(i);
  }
  sparse_ = std::find(reached.begin(), reached.end(), false) != reached.end();
}

}  // namespace stagedoor
