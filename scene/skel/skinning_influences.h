// Joint influences of points: validated once, laid out for the skinning kernels, then used at any
// number of times.
#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_INFLUENCES_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_INFLUENCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// Points in blocks of kBlock; in a block every point has the same number of influences, the one
// with the largest weight first, those of weight zero dropped and padding of weight zero added.
// Immutable, thread-safe.
class SkinningInfluences {
 public:
  static constexpr size_t kBlock = 256;

  // `indices` and `weights` hold `per_point` influences for each of `points` points.
  // INVALID_ARGUMENT names what is wrong: array sizes, or an index that is no joint.
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

  // Influences of a block, point by point: `per_point` joints and weights each.
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
  // Those of one point, `count` after dropping and padding.
  void Add(std::span<const int> indices, std::span<const float> weights, size_t count);

  size_t points_ = 0;
  size_t joints_ = 0;
  std::vector<uint32_t> block_per_point_;
  std::vector<size_t> block_first_;  // into the arrays below
  std::vector<uint32_t> joint_indices_;
  std::vector<float> weights_;
};

// Weights of each point scaled to a sum of one, also those with a negative sum; to zero where the
// sum is within `eps` of zero.
void NormalizeWeights(std::span<float> weights, int per_point, float eps = 1e-6f);
// The influences of each point by descending weight.
void SortInfluences(std::span<int> indices, std::span<float> weights, int per_point);
// Another number of influences a point: cut (weights normalised anew) or padded with zeros.
void ResizeInfluences(int from, int to, std::vector<int>* indices, std::vector<float>* weights);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_INFLUENCES_H_
