#include "scene/skel/skinning_influences.h"

#include <algorithm>
#include <string>
#include <utility>

namespace stagedoor {
namespace {

// All indices are checked once here, so that the kernels need not check them for each point. A
// single bad one rejects the prim, as in OpenUSD, which would otherwise scramble its points.
absl::Status Validate(std::span<const int> indices, std::span<const float> weights, int per_point,
                      size_t points, size_t joints) {
  if (per_point <= 0)
    return absl::InvalidArgumentError("the number of influences per point must be positive");
  if (indices.size() != weights.size()) {
    return absl::InvalidArgumentError("the numbers of joint indices and joint weights differ");
  }
  if (indices.size() / static_cast<size_t>(per_point) != points ||
      indices.size() % static_cast<size_t>(per_point) != 0) {
    return absl::InvalidArgumentError(
        "the number of joint indices does not match the number of points");
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && static_cast<size_t>(indices[i]) < joints) continue;
    return absl::InvalidArgumentError("joint index " + std::to_string(indices[i]) + " at element " +
                                      std::to_string(i) + " is out of range");
  }
  return absl::OkStatus();
}

size_t Largest(std::span<const float> weights) {
  return static_cast<size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

// The number of influences to keep: those that are not zero, and the largest even if it is zero,
// because each point needs a pivot.
size_t KeptInfluences(std::span<const float> weights) {
  const auto zeros = static_cast<size_t>(std::count(weights.begin(), weights.end(), 0.0f));
  return weights.size() - zeros + (weights[Largest(weights)] == 0 ? 1 : 0);
}

}  // namespace

absl::StatusOr<SkinningInfluences> SkinningInfluences::Create(std::span<const int> indices,
                                                              std::span<const float> weights,
                                                              int per_point, size_t points,
                                                              size_t joints) {
  if (absl::Status s = Validate(indices, weights, per_point, points, joints); !s.ok()) return s;
  SkinningInfluences result;
  result.points_ = points;
  result.joints_ = joints;
  const size_t stride = static_cast<size_t>(per_point);
  // Files often reserve more influences than most points use. Padding each block only to its own
  // maximum lets the kernels skip the rest.
  for (size_t first = 0; first < points; first += kBlock) {
    const size_t end = std::min(first + kBlock, points);
    size_t most = 1;
    for (size_t p = first; p < end; ++p) {
      most = std::max(most, KeptInfluences(weights.subspan(p * stride, stride)));
    }
    result.block_first_.push_back(result.weights_.size());
    result.block_per_point_.push_back(static_cast<uint32_t>(most));
    for (size_t p = first; p < end; ++p) {
      result.Add(indices.subspan(p * stride, stride), weights.subspan(p * stride, stride), most);
    }
  }
  return result;
}

void SkinningInfluences::Add(std::span<const int> indices, std::span<const float> weights,
                             size_t count) {
  // First, because it is the pivot of dual quaternion skinning (_GetPivotJointIndex of OpenUSD).
  const size_t largest = Largest(weights);
  const auto joint = static_cast<uint32_t>(indices[largest]);
  const size_t end = joint_indices_.size() + count;
  joint_indices_.push_back(joint);
  weights_.push_back(weights[largest]);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0 || i == largest) continue;
    joint_indices_.push_back(static_cast<uint32_t>(indices[i]));
    weights_.push_back(weights[i]);
  }
  // Padding repeats the point's first joint, so that it touches no other memory.
  joint_indices_.resize(end, joint);
  weights_.resize(end, 0.0f);
}

SkinningInfluences::Block SkinningInfluences::block(size_t i) const {
  const size_t first = i * kBlock;
  return {first, std::min(kBlock, points_ - first), block_per_point_[i],
          joint_indices_.data() + block_first_[i], weights_.data() + block_first_[i]};
}

}  // namespace stagedoor
