#ifndef STAGEDOOR_SCENE_VALUES_QUAT_H_
#define STAGEDOOR_SCENE_VALUES_QUAT_H_

#include "scene/values/half.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Quaternions as plain data, with the imaginary part first (i, j, k, real), as in files. Correspond
// to OpenUSD's GfQuatf and so on; see the Core Specification, section 6.3 (Dimensioned Types).
template <typename T>
struct Quat {
  using Scalar = T;

  Vec<T, 3> imaginary;
  T real = T(0.0f);

  friend constexpr bool operator==(const Quat& a, const Quat& b) {
    return a.imaginary == b.imaginary && a.real == b.real;
  }
};

using Quath = Quat<Half>;
using Quatf = Quat<float>;
using Quatd = Quat<double>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_QUAT_H_
