#include "scene/usda/text_format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/up_to_zero.h"
#include "scene/paths/identifier.h"

namespace stagedoor::usda {
namespace {

// Numbers whose decimal exponent is in this range are written without an exponent.
constexpr int kMinPlainExponent = -6;
constexpr int kMaxPlainExponent = 14;

char* PutText(std::string_view text, char* out) {
  return static_cast<char*>(std::memcpy(out, text.data(), text.size())) + text.size();
}

// Writes d.ddd × 10^exponent in plain decimal notation or with an exponent.
char* PutDecimal(std::string_view digits, int exponent, char* out) {
  const int count = static_cast<int>(digits.size());
  if (exponent < kMinPlainExponent || exponent > kMaxPlainExponent) {
    *out++ = digits[0];
    if (count > 1) {
      *out++ = '.';
      out = PutText(digits.substr(1), out);
    }
    *out++ = 'e';
    return PutInteger(exponent, out);
  }
  if (exponent < 0) {
    out = PutText("0.", out);
    for (int i = exponent + 1; i < 0; ++i) *out++ = '0';
    return PutText(digits, out);
  }
  if (count <= exponent + 1) {
    out = PutText(digits, out);
    for (int i = count; i <= exponent; ++i) *out++ = '0';
    return out;
  }
  out = PutText(digits.substr(0, exponent + 1), out);
  *out++ = '.';
  return PutText(digits.substr(exponent + 1), out);
}

// Writes any finite number; the fast paths below handle the common cases.
template <typename T>
char* PutAnyFinite(T value, char* out) {
  if (std::signbit(value)) *out++ = '-';
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(value),
                                    std::chars_format::scientific);
  // d[.ddd]e±xx
  const char* p = buffer;
  char digits[32];
  size_t count = 0;
  for (; *p != 'e'; ++p) {
    if (*p != '.') digits[count++] = *p;
  }
  int exponent = 0;
  std::from_chars(p[1] == '+' ? p + 2 : p + 1, result.ptr, exponent);
  return PutDecimal(std::string_view(digits, count), exponent, out);
}

// "00" to "99", one after the other.
constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (int i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

// Writes `size` with up to `places` decimals, which is enough for most numbers in practice; null if
// it needs more.
template <int places, typename T>
char* PutDecimals(T size, char* out) {
  constexpr uint32_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
  constexpr uint32_t kPower = kPowers[places];
  using Scaled = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
  const double above = static_cast<double>(size) * kPower + 0.5;
  const auto scaled = static_cast<Scaled>(above);
  if (static_cast<T>(static_cast<double>(scaled) / kPower) != size) return nullptr;
  const auto whole = static_cast<uint32_t>(scaled / kPower);
  const auto fraction = static_cast<uint32_t>(scaled % kPower) * kPowers[6 - places];
  if (whole < 10) {
    *out++ = static_cast<char>('0' + whole);
  } else {
    out = PutUnsigned(whole, out);
  }
  if (fraction == 0) return out;
  *out = '.';
  std::memcpy(out + 1, &kPairs[2 * (fraction / 10000)], 2);
  std::memcpy(out + 3, &kPairs[2 * (fraction / 100 % 100)], 2);
  std::memcpy(out + 5, &kPairs[2 * (fraction % 100)], 2);
  out += 7;
  while (out[-1] == '0') --out;
  return out;
}

// Uses so few decimals that neighboring numbers of this size are closer to each other than
// neighboring decimals are: then at most one such decimal reads back as the number.
char* PutSafeDecimals(float size, char* out) {
  if (size < 16) return PutDecimals<6>(size, out);
  if (size < 128) return PutDecimals<5>(size, out);
  if (size < 1024) return PutDecimals<4>(size, out);
  return size < 8192 ? PutDecimals<3>(size, out) : nullptr;
}
char* PutSafeDecimals(double size, char* out) {
  return size < 1e9 ? PutDecimals<6>(size, out) : nullptr;
}

template <typename T>
char* PutFloating(T value, char* out) {
  if (!std::isfinite(value)) {
    return PutText(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", out);
  }
  // T represents every whole number below this, so that its digits are the shortest form.
  constexpr T kWhole = std::is_same_v<T, float> ? T(1 << 24) : T(1e9);
  if (std::fabs(value) < kWhole && value == static_cast<T>(static_cast<int64_t>(value)) &&
      !(value == 0 && std::signbit(value))) {
    return PutInteger(static_cast<int64_t>(value), out);
  }
  const bool negative = std::signbit(value);
  *out = '-';
  char* end = PutSafeDecimals(std::fabs(value), out + negative);
  return end ? end : PutAnyFinite(value, out);
}

template <typename T>
char* PutChars(T value, char* out) {
  return std::to_chars(out, out + kMaxNumberText, value).ptr;
}

template <typename T>
void AppendPut(char* (*put)(T, char*), T value, std::string* out) {
  char buffer[kMaxNumberText];
  out->append(buffer, put(value, buffer));
}

bool IsPlainCharacter(char c, char quote) { return c >= 32 && c < 127 && c != quote && c != '\\'; }

void AppendSpecial(std::string_view text, size_t* at, bool triple, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  const char c = text[*at];
  const unsigned char byte = static_cast<unsigned char>(c);
  uint32_t code_point;
  if (byte >= 0x80) {
    if (const size_t n = DecodeUtf8(text, *at, &code_point)) {
      out->append(text, *at, n);
      *at += n;
      return;
    }
  }
  ++*at;
  if (c == '\n') {
    out->append(triple ? "\n" : "\\n");
  } else if (c == '\r') {
    out->append("\\r");
  } else if (c == '\t') {
    out->append("\\t");
  } else if (byte < 32 || byte >= 127) {
    out->append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  } else {
    out->append("\\").append(1, c);  // the quote or a backslash
  }
}

}  // namespace

char* PutDouble(double value, char* out) { return PutFloating(value, out); }
char* PutFloat(float value, char* out) { return PutFloating(value, out); }
char* PutInteger(int64_t value, char* out) { return PutChars(value, out); }
char* PutUnsigned(uint64_t value, char* out) { return PutChars(value, out); }

void AppendDouble(double value, std::string* out) { AppendPut(PutDouble, value, out); }
void AppendFloat(float value, std::string* out) { AppendPut(PutFloat, value, out); }

void AppendNumber(const Number& number, std::string* out) {
  switch (number.kind) {
    case Number::Kind::kUnsigned:
      return AppendPut(PutUnsigned, number.u, out);
    case Number::Kind::kNegative:
      return AppendPut(PutInteger, number.i, out);
    case Number::Kind::kDouble:
      return AppendDouble(number.d, out);
  }
}

void AppendQuoted(std::string_view text, std::string* out) {
  const auto has = [&](char c) { return std::memchr(text.data(), c, text.size()) != nullptr; };
  const bool any = !text.empty();
  const char quote = any && has('"') && !has('\'') ? '\'' : '"';
  const bool triple = any && has('\n');
  text = UpToZero(text);
  out->append(triple ? 3 : 1, quote);
  for (size_t at = 0; at < text.size();) {
    size_t plain = at;
    while (plain < text.size() && IsPlainCharacter(text[plain], quote)) ++plain;
    out->append(text, at, plain - at);
    at = plain;
    if (at < text.size()) AppendSpecial(text, &at, triple, out);
  }
  out->append(triple ? 3 : 1, quote);
}

void AppendAsset(std::string_view path, std::string* out) {
  path = UpToZero(path);
  const bool triple = path.find('@') != std::string_view::npos;
  out->append(triple ? 3 : 1, '@');
  while (triple) {
    const size_t at = path.find("@@@");
    out->append(path.substr(0, at));
    path.remove_prefix(at == std::string_view::npos ? path.size() : at + 3);
    if (at == std::string_view::npos) break;
    out->append("\\@@@");
  }
  out->append(path).append(triple ? 3 : 1, '@');
}

}  // namespace stagedoor::usda
