#ifndef STAGEDOOR_CLIENT_SDK_VALUE_TYPES_H_
#define STAGEDOOR_CLIENT_SDK_VALUE_TYPES_H_

#include <array>
#include <bit>
#include <cstdint>
#include <string>

// The C++ types of USD's values. They have the layout of the bytes that the daemon sends, which is
// also that of the types of OpenUSD's Gf library: a GfVec3f may be copied from a Vec3f.
namespace stagedoor::sdk {

// An IEEE 754 binary16 number, as its bits.
struct Half {
  uint16_t bits = 0;

  explicit operator float() const;
  friend bool operator==(Half, Half) = default;
};

using Vec2i = std::array<int32_t, 2>;
using Vec3i = std::array<int32_t, 3>;
using Vec4i = std::array<int32_t, 4>;
using Vec2h = std::array<Half, 2>;
using Vec3h = std::array<Half, 3>;
using Vec4h = std::array<Half, 4>;
using Vec2f = std::array<float, 2>;
using Vec3f = std::array<float, 3>;
using Vec4f = std::array<float, 4>;
using Vec2d = std::array<double, 2>;
using Vec3d = std::array<double, 3>;
using Vec4d = std::array<double, 4>;

// Quaternions are i, j, k, real.
using Quath = Vec4h;
using Quatf = Vec4f;
using Quatd = Vec4d;

// Matrices are row-major and transform row vectors, p' = p * M: the translation is in the last row.
using Matrix2d = std::array<std::array<double, 2>, 2>;
using Matrix3d = std::array<std::array<double, 3>, 3>;
using Matrix4d = std::array<std::array<double, 4>, 4>;

struct AssetPath {
  std::string authored;
  std::string evaluated;  // empty unless `authored` is a variable expression
  std::string resolved;   // empty if the asset is missing

  friend bool operator==(const AssetPath&, const AssetPath&) = default;
};

// An axis-aligned box.
struct Range3d {
  Vec3d min;
  Vec3d max;

  bool empty() const { return min[0] > max[0] || min[1] > max[1] || min[2] > max[2]; }
  friend bool operator==(const Range3d&, const Range3d&) = default;
};

inline Half::operator float() const {
  const uint32_t sign = (bits & 0x8000U) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {  // zero, or a subnormal: mantissa × 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign == 0 ? magnitude : -magnitude;
  }
  const uint32_t wide = exponent == 0x1f ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUE_TYPES_H_
