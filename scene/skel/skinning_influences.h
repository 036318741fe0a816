#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_INFLUENCES_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_INFLUENCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// Joint influences of points, validated and laid out for the skinning kernels once, then used at
// any number of times ("Joint Influences" in the UsdSkel schema documentation).
//
// Points come in blocks of kBlock. In a block all points have the same number of influences: the
// largest weight is first, weights of zero are dropped, and padding has weight zero. Immutable and
// thread-safe.
class SkinningInfluences {
 public:
  static constexpr size_t kBlock = 256;

  // `indices` and `weights` hold `per_point` influences for each of `points` points.
  // INVALID_ARGUMENT states what is wrong: the sizes of the arrays, or an index that is not a
  // joint.
  static absl::StatusOr<SkinningInfluences> Create(std::span<const int> indices,
                                                   std::span<const float> weights, int per_point,
                                                   size_t points, size_t joints);

  size_t points() const { return points_; }
  size_t joints() const { return joints_; }
  size_t blocks() const { return block_first_.size(); }
  size_t byte_size() const {
    return joint_indices_.capacity() * sizeof(uint32_t) + weights_.capacity() * sizeof(float) +
           block_first_.capacity() * (sizeof(size_t) + sizeof(uint32_t));
  }

  // The influences of a block, point by point: `per_point` joints and weights each.
  struct Block {
    size_t first_point;
    size_t points;
    size_t per_point;
    const uint32_t* joints;
    const float* weights;
  };
  Block block(size_t i) const;

 private:
  SkinningInfluences() = default;
  // Adds the influences of one point: `count` after dropping and padding.
  void Add(std::span<const int> indices, std::span<const float> weights, size_t count);

  size_t points_ = 0;
  size_t joints_ = 0;
  std::vector<uint32_t> block_per_point_;
  std::vector<size_t> block_first_;  // positions in the arrays below
  std::vector<uint32_t> joint_indices_;
  std::vector<float> weights_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_INFLUENCES_H_
