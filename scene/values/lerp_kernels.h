#ifndef STAGEDOOR_SCENE_VALUES_LERP_KERNELS_H_
#define STAGEDOOR_SCENE_VALUES_LERP_KERNELS_H_

#include <span>

#include "scene/values/half.h"

namespace stagedoor {

// Linear interpolation of arrays, compiled for several instruction sets by Highway and selected at
// run time. Pure functions.

// How the products (1 - alpha) * a and alpha * b are rounded before they are added.
enum class LerpRounding {
  kOnce,        // computed in double and rounded at the end, as OpenUSD does for scalars
  kEachFactor,  // each product rounded to float first, as OpenUSD does for vectors
};
// The bulk kernels. a, b and out must have the same size; out may be a or b.
void LerpFloats(std::span<const float> a, std::span<const float> b, double alpha,
                LerpRounding rounding, std::span<float> out);
void LerpDoubles(std::span<const double> a, std::span<const double> b, double alpha,
                 std::span<double> out);

// out[i] = (1 - alpha) * a[i] + alpha * b[i], where each product and the sum is rounded to half, as
// OpenUSD's GfVec3h does.
void LerpHalves(std::span<const Half> a, std::span<const Half> b, double alpha,
                std::span<Half> out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LERP_KERNELS_H_
