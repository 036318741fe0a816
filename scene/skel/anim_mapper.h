// AnimMapper: carries values from one order of joints (or blend shapes) to another
// (UsdSkelAnimMapper). Immutable.
#ifndef STAGEDOOR_SCENE_SKEL_ANIM_MAPPER_H_
#define STAGEDOOR_SCENE_SKEL_ANIM_MAPPER_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scene/paths/token.h"

namespace stagedoor {

class AnimMapper {
 public:
  // Maps nothing.
  AnimMapper() = default;
  AnimMapper(std::span<const Token> source, std::span<const Token> target);

  // No source value reaches the target.
  bool IsNull() const { return mapped_ == 0; }
  // Some target values have no source.
  bool IsSparse() const { return sparse_; }
  bool IsIdentity() const { return identity_; }
  size_t target_size() const { return target_size_; }
  size_t source_size() const { return targets_.size(); }
  // Where a source value goes; -1: nowhere.
  int target(size_t source) const { return targets_[source]; }

  // Values of the source order in that of the target: `*target` is resized to the target's size
  // with `fallback` for new elements; those without a source are left as they are. Missing source
  // values are ignored; surplus ones too, unless the source is in the target in a row: then they
  // follow it there, as in OpenUSD.
  template <typename T>
  void Remap(std::span<const T> source, const T& fallback, std::vector<T>* target) const {
    target->resize(target_size_, fallback);
    if (run_) {
      const size_t count = std::min(source.size(), target_size_ - *run_);
      std::copy_n(source.begin(), count, target->begin() + static_cast<ptrdiff_t>(*run_));
      return;
    }
    for (size_t i = 0; i < std::min(source.size(), targets_.size()); ++i) {
      if (targets_[i] >= 0) (*target)[static_cast<size_t>(targets_[i])] = source[i];
    }
  }

 private:
  std::vector<int> targets_;   // by source index; -1: not in the target
  std::optional<size_t> run_;  // where all of the source is in the target in a row
  size_t target_size_ = 0;
  size_t mapped_ = 0;
  bool sparse_ = true;
  bool identity_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_ANIM_MAPPER_H_
