#ifndef STAGEDOOR_SCENE_VALUES_CUBIC_H_
#define STAGEDOOR_SCENE_VALUES_CUBIC_H_

namespace stagedoor {

// A cubic polynomial in t.
struct Cubic {
  double a, b, c, d;

  // From the control points of a Bézier curve.
  static Cubic FromPoints(double p0, double p1, double p2, double p3) {
    return {-p0 + 3 * p1 - 3 * p2 + p3, 3 * p0 - 6 * p1 + 3 * p2, -3 * p0 + 3 * p1, p0};
  }
  double At(double t) const { return t * (t * (t * a + b) + c) + d; }
};

// The zero in [0, 1] of a cubic that rises in this interval from at most 0 to at least 0.
double RisingZero(const Cubic& cubic);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_CUBIC_H_
