#ifndef STAGEDOOR_SCENE_VALUES_HALF_H_
#define STAGEDOOR_SCENE_VALUES_HALF_H_

#include <bit>
#include <cstdint>

namespace stagedoor {

// An IEEE 754 binary16 number (Core Specification, section 6.2 Scalar Types). Corresponds to
// OpenUSD's GfHalf. Storage only; arithmetic is done in float. A value type.
class Half {
 public:
  constexpr Half() = default;
  // Rounds to nearest, ties to even; values that are too large become infinite.
  constexpr explicit Half(float value) : bits_(FromFloat(value)) {}

  constexpr uint16_t bits() const { return bits_; }

  constexpr operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits_ & 0x8000) << 16;
    const uint32_t exponent = (bits_ >> 10) & 0x1f;
    const uint32_t mantissa = bits_ & 0x3ff;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) {  // zero or subnormal, equal to mantissa * 2^-24
      const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  }

 private:
  static constexpr uint16_t FromFloat(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | 0x7e00;   // nan
    if (magnitude >= 0x477ff000) return sign | 0x7c00;  // rounds to infinity
    if (magnitude < 0x38800000) {                       // subnormal or zero
      if (magnitude < 0x33000000) return sign;
      const uint32_t shift = 126 - (magnitude >> 23);
      const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
      return sign | static_cast<uint16_t>(RoundShift(mantissa, shift));
    }
    return sign | static_cast<uint16_t>(RoundShift(magnitude - 0x38000000, 13));
  }
  static constexpr uint32_t RoundShift(uint32_t value, uint32_t shift) {
    const uint32_t half = 1u << (shift - 1);
    const uint32_t low = value & ((1u << shift) - 1);
    const uint32_t result = value >> shift;
    return result + (low > half || (low == half && (result & 1)));
  }

  uint16_t bits_ = 0;
};

// Compares values as floats do, so NaN differs from itself.
constexpr bool operator==(Half a, Half b) { return static_cast<float>(a) == static_cast<float>(b); }

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_HALF_H_
