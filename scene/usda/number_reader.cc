#include "scene/usda/number_reader.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace stagedoor::usda {
namespace {

// Powers of ten that are exact as doubles.
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t kIntegerPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
constexpr int kMaxExactPower = 22;
constexpr uint64_t kMaxExactMantissa = uint64_t{1} << 53;
constexpr int kMaxDigits = 19;  // this many always fit 64 bits

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
bool IsWordCharacter(char c) {
  return IsDigit(c) || static_cast<unsigned char>((c | 32) - 'a') < 26 || c == '_';
}

bool IsWord(const char* at, const char* end, const char (&word)[4]) {
  if (end - at < 3 || std::memcmp(at, word, 3) != 0) return false;
  return end - at == 3 || !IsWordCharacter(at[3]);
}

// The correctly rounded value of any decimal text.
double SlowDouble(const char* first, const char* last) {
  double value = 0;
  const auto result = std::from_chars(first, last, value);
  if (result.ec == std::errc()) return value;
  return std::strtod(std::string(first, last).c_str(), nullptr);
}

// The digits of a number as an integer; only the first kMaxDigits significant ones are kept.
struct Digits {
  uint64_t mantissa = 0;
  int significant = 0;
  int dropped = 0;

  const char* Read(const char* at, const char* end) {
    while (at != end && IsDigit(*at)) {
      if (significant < kMaxDigits) {
        mantissa = mantissa * 10 + static_cast<unsigned>(*at - '0');
        significant += mantissa != 0;
      } else {
        ++dropped;
      }
      ++at;
    }
    return at;
  }
};

// Up to seven digits, read at once: most numbers are two such runs separated by a point.
struct ShortDigits {
  uint64_t value;
  int count;  // 8 means more digits than this reads

  // Needs eight readable characters.
  explicit ShortDigits(const char* at) {
    static_assert(std::endian::native == std::endian::little);
    uint64_t chunk;
    std::memcpy(&chunk, at, 8);
    // The high bit of every character that is not a digit; exact up to the first such character.
    const uint64_t others =
        ((chunk + 0x4646464646464646u) | (chunk - 0x3030303030303030u)) & 0x8080808080808080u;
    count = others == 0 ? 8 : std::countr_zero(others) / 8;
    // Shift the digits to the end, preceded by zeros, then combine neighbors in three steps.
    uint64_t v = count == 8 ? 0 : ((chunk - 0x3030303030303030u) << 8) << (56 - 8 * count);
    v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFu;
    v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFu;
    value = (v * 10000 + (v >> 32)) & 0xFFFFFFFFu;
  }
};

bool MayContinueNumber(char c) { return c == '.' || (c | 32) == 'e'; }

// The fast path of ReadNumber, for short numbers that are not near the end. Null for all others,
// which may still be numbers.
const char* ReadShortNumber(const char* at, const char* end, Number* number) {
  if (end - at < 18) return nullptr;
  const bool negative = *at == '-';
  at += negative;
  const ShortDigits whole(at);
  if (whole.count == 0 || whole.count == 8) return nullptr;
  at += whole.count;
  if (*at != '.') {
    if (MayContinueNumber(*at) || (negative && whole.value == 0)) return nullptr;
    if (negative) {
      number->kind = Number::Kind::kNegative;
      number->i = -static_cast<int64_t>(whole.value);
    } else {
      number->kind = Number::Kind::kUnsigned;
      number->u = whole.value;
    }
    return at;
  }
  const ShortDigits fraction(++at);
  at += fraction.count;
  if (fraction.count == 8 || MayContinueNumber(*at)) return nullptr;
  const uint64_t mantissa = whole.value * kIntegerPowers[fraction.count] + fraction.value;
  const double value =
      static_cast<double>(static_cast<int64_t>(mantissa)) / kPowers[fraction.count];
  number->kind = Number::Kind::kDouble;
  // Apply the sign without a branch, which would be unpredictable.
  number->d = std::bit_cast<double>(std::bit_cast<uint64_t>(value) ^
                                    (static_cast<uint64_t>(negative) << 63));
  return at;
}

// Reads the exponent at `at` ("e-5"); returns `at` unchanged if it has no digits.
const char* ReadExponent(const char* at, const char* end, int* exponent) {
  if (at == end || (*at | 32) != 'e') return at;
  const char* p = at + 1;
  bool negative = false;
  if (p != end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if (p == end || !IsDigit(*p)) return at;
  int value = 0;
  for (; p != end && IsDigit(*p); ++p) value = value < 100000 ? value * 10 + (*p - '0') : value;
  *exponent = negative ? -value : value;
  return p;
}

const char* ReadWord(const char* at, const char* end, bool negative, Number* number) {
  number->kind = Number::Kind::kDouble;
  if (IsWord(at, end, "inf")) {
    number->d = negative ? -std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::infinity();
    return at + 3;
  }
  if (!negative && IsWord(at, end, "nan")) {
    number->d = std::numeric_limits<double>::quiet_NaN();
    return at + 3;
  }
  return nullptr;
}

// Sets `number` to an integer of any length that has no fraction or exponent.
void SetInteger(const char* first, const char* last, bool negative, const Digits& digits,
                Number* number) {
  const char* const start = first - (negative ? 1 : 0);
  if (negative && last - first == 1 && *first == '0') {
    number->kind = Number::Kind::kDouble;
    number->d = -0.0;
    return;
  }
  bool fits;
  if (negative) {
    number->kind = Number::Kind::kNegative;
    fits = std::from_chars(start, last, number->i).ec == std::errc();
  } else if (digits.dropped == 0) {
    number->u = digits.mantissa;
    fits = true;
  } else {
    fits = std::from_chars(start, last, number->u).ec == std::errc();
  }
  if (fits) return;
  number->kind = Number::Kind::kDouble;
  number->d = SlowDouble(start, last);
}

}  // namespace

const char* ReadNumber(const char* at, const char* end, Number* number) {
  if (at == end) return nullptr;
  if (const char* after = ReadShortNumber(at, end, number)) return after;
  const char* const start = at;
  const bool negative = *at == '-';
  at += negative;
  const char* const first = at;
  if (at == end) return nullptr;
  if (!IsDigit(*at) && *at != '.') return ReadWord(at, end, negative, number);
  Digits digits;
  at = digits.Read(at, end);
  const char* const integer_end = at;
  number->kind = Number::Kind::kUnsigned;
  int exponent = digits.dropped;
  if (at != end && *at == '.') {
    const char* fraction = at + 1;
    const int before = digits.dropped;
    at = digits.Read(fraction, end);
    if (integer_end == first && at == fraction) return nullptr;  // "." alone
    exponent -= static_cast<int>(at - fraction) - (digits.dropped - before);
  }
  int written = 0;
  const char* const mantissa_end = at;
  at = ReadExponent(at, end, &written);
  if (mantissa_end == integer_end && at == mantissa_end && (at == end || (*at | 32) != 'e')) {
    SetInteger(first, at, negative, digits, number);
    return at;
  }
  exponent += written;
  number->kind = Number::Kind::kDouble;
  if (digits.dropped == 0 && digits.mantissa <= kMaxExactMantissa && exponent <= kMaxExactPower &&
      exponent >= -kMaxExactPower) {
    const double m = static_cast<double>(digits.mantissa);
    const double value = exponent < 0 ? m / kPowers[-exponent] : m * kPowers[exponent];
    number->d = negative ? -value : value;
  } else {
    number->d = SlowDouble(start, at);
  }
  return at;
}

}  // namespace stagedoor::usda
