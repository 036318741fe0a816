#ifndef STAGEDOOR_SCENE_SKEL_ANIM_MAPPER_H_
#define STAGEDOOR_SCENE_SKEL_ANIM_MAPPER_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scene/paths/token.h"

namespace stagedoor {

// Maps values from one order of joints (or blend shapes) to another, by name ("Joint Order" in
// OpenUSD's UsdSkel schema documentation). Corresponds to UsdSkelAnimMapper. Immutable and
// thread-safe.
class AnimMapper {
 public:
  // A mapper that maps nothing.
  AnimMapper() = default;
  // Maps the order `source` to the order `target`, neither of which is kept.
  AnimMapper(std::span<const Token> source, std::span<const Token> target);

  // Whether no source value has a place in the target.
  bool IsNull() const { return mapped_ == 0; }
  // Whether some target values have no source.
  bool IsSparse() const { return sparse_; }
  bool IsIdentity() const { return identity_; }
  size_t target_size() const { return target_size_; }
  size_t source_size() const { return targets_.size(); }
  // The place of a source value in the target; -1 if it has none.
  int target(size_t source) const { return targets_[source]; }

  // Writes values in the source order to `*target` in the target order. `*target` is resized with
  // `fallback` for new elements; elements without a source keep their value. Missing source values
  // are ignored, and so are extra ones; but if the source is a contiguous part of the target, extra
  // ones follow it there, as in OpenUSD. Corresponds to UsdSkelAnimMapper::Remap.
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
  std::vector<int> targets_;   // by source index; -1 if not in the target
  std::optional<size_t> run_;  // where the target has the source as a contiguous part
  size_t target_size_ = 0;
  size_t mapped_ = 0;
  bool sparse_ = true;
  bool identity_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_ANIM_MAPPER_H_
