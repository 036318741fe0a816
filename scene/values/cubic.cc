#include "scene/values/cubic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stagedoor {
namespace {

// The real zeros of a cubic, at most three. Cardano's formula loses half of the digits near
// vertical tangents; it is used nevertheless, because OpenUSD does, and a more precise result would
// differ visibly.
struct Zeros {
  double t[3];
  int count = 0;
  void Add(double zero) { t[count++] = zero; }
};

// The zeros of t^3 + b t^2 + c t + d.
Zeros CardanoZeros(double b, double c, double d) {
  const double third = (3 * c - b * b) / 9;
  const double cubed = third * third * third;
  const double half = (2 * b * b * b - 9 * b * c + 27 * d) / 54;
  const double discriminant = half * half + cubed;
  const double shift = b / 3;
  Zeros zeros;
  if (discriminant < 0) {
    const double r = std::sqrt(-cubed);
    const double phi = std::acos(std::clamp(-half / r, -1.0, 1.0));
    const double size = 2 * std::cbrt(r);
    for (int i = 0; i < 3; ++i) {
      zeros.Add(size * std::cos((phi + 2 * i * std::numbers::pi) / 3) - shift);
    }
  } else if (discriminant == 0) {
    const double u = -std::cbrt(half);
    zeros.Add(2 * u - shift);
    zeros.Add(-u - shift);
  } else {
    const double root = std::sqrt(discriminant);
    zeros.Add(std::cbrt(root - half) - std::cbrt(root + half) - shift);
  }
  return zeros;
}

Zeros AllZeros(const Cubic& f) {
  constexpr double kTiny = 1e-10;
  if (std::abs(f.a) >= kTiny) return CardanoZeros(f.b / f.a, f.c / f.a, f.d / f.a);
  Zeros zeros;
  if (std::abs(f.b) >= kTiny) {
    const double root = std::sqrt(std::max(f.c * f.c - 4 * f.b * f.d, 0.0));
    zeros.Add((-f.c - root) / (2 * f.b));
    zeros.Add((-f.c + root) / (2 * f.b));
  } else {
    zeros.Add(std::abs(f.c) >= kTiny ? -f.d / f.c : 0);
  }
  return zeros;
}

}  // namespace

double RisingZero(const Cubic& cubic) {
  const Zeros zeros = AllZeros(cubic);
  double best = 0;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < zeros.count; ++i) {
    const double clamped = std::clamp(zeros.t[i], 0.0, 1.0);
    const double distance = std::abs(zeros.t[i] - clamped);
    if (distance <= best_distance) {
      best = clamped;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace stagedoor
