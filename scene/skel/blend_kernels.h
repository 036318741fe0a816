#ifndef STAGEDOOR_SCENE_SKEL_BLEND_KERNELS_H_
#define STAGEDOOR_SCENE_SKEL_BLEND_KERNELS_H_

#include <cstddef>

#include "scene/values/vec.h"

namespace stagedoor {

// Kernels that add weighted offsets of blend shapes with the vector units of the processor.
// Internal to scene/skel.

// A vector while offsets are added to it: four floats, the last one unused, aligned to 16 bytes.
struct alignas(16) WideVector {
  float v[4];
};

// Convert between packed and wide vectors.
void WidenVectors(const Vec3f* from, size_t count, WideVector* to);
void NarrowVectors(const WideVector* from, size_t count, Vec3f* to);

// to[i] += offsets[i] * weight.
void AddWeighted(const Vec3f* offsets, size_t count, float weight, WideVector* to);
// to[indices[i] - first] += offsets[i] * weight; indices are within `to`.
void AddWeightedAt(const Vec3f* offsets, const int* indices, size_t count, float weight, int first,
                   WideVector* to);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_BLEND_KERNELS_H_
