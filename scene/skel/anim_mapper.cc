#include "scene/skel/anim_mapper.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace stagedoor {
namespace {

// Where the target has the source as a contiguous part, searched only from the first occurrence of
// its first name; the target's size if it does not.
size_t FindRun(std::span<const Token> source, std::span<const Token> target) {
  const auto begin = std::find(target.begin(), target.end(), source[0]);
  const bool fits = static_cast<size_t>(target.end() - begin) >= source.size();
  if (!fits || !std::equal(source.begin(), source.end(), begin)) return target.size();
  return static_cast<size_t>(begin - target.begin());
}

}  // namespace

AnimMapper::AnimMapper(std::span<const Token> source, std::span<const Token> target)
    : target_size_(target.size()) {
  // Values of names that the target lacks are dropped.
  targets_.assign(source.size(), -1);
  if (source.empty() || target.empty()) return;
  if (const size_t run = FindRun(source, target); run < target.size()) {
    run_ = run;
    std::iota(targets_.begin(), targets_.end(), static_cast<int>(run));
  } else {
    // If names are equal, the last one counts here and the first one in FindRun, as in OpenUSD.
    std::unordered_map<Token, int> by_name;
    by_name.reserve(target.size());
    for (size_t i = 0; i < target.size(); ++i) by_name[target[i]] = static_cast<int>(i);
    for (size_t i = 0; i < source.size(); ++i) {
      const auto it = by_name.find(source[i]);
      if (it != by_name.end()) targets_[i] = it->second;
    }
  }
  // Sparse only if a target value is never written: several source values may have one place.
  std::vector<bool> reached(target.size());
  identity_ = source.size() == target.size();
  for (size_t i = 0; i < source.size(); ++i) {
    if (targets_[i] >= 0) {
      reached[static_cast<size_t>(targets_[i])] = true;
      ++mapped_;
    }
    identity_ = identity_ && targets_[i] == static_cast<int>(i);
  }
  sparse_ = std::find(reached.begin(), reached.end(), false) != reached.end();
}

}  // namespace stagedoor
