#include "scene/usda/text_format.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "scene/paths/identifier.h"

namespace stagedoor::usda {
namespace {

// Decimal exponents (of scientific notation) that are written without one.
constexpr int kMinPlainExponent = -6;
constexpr int kMaxPlainExponent = 14;

// Writes digits d.ddd × 10^exponent as plain decimals or with an exponent.
void AppendDecimal(const char* digits, int count, int exponent, std::string* out) {
  if (exponent < kMinPlainExponent || exponent > kMaxPlainExponent) {
    out->push_back(digits[0]);
    if (count > 1) out->append(".").append(digits + 1, count - 1);
    out->append("e").append(exponent < 0 ? "-" : "");
    AppendInteger(std::abs(exponent), out);
  } else if (exponent < 0) {
    out->append("0.").append(-exponent - 1, '0').append(digits, count);
  } else if (count <= exponent + 1) {
    out->append(digits, count).append(exponent + 1 - count, '0');
  } else {
    out->append(digits, exponent + 1)
        .append(".")
        .append(digits + exponent + 1, count - exponent - 1);
  }
}

template <typename T>
void AppendFloating(T value, std::string* out) {
  if (!std::isfinite(value)) {
    out->append(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  if (std::fabs(value) < T(1e9) && value == static_cast<T>(static_cast<int64_t>(value)) &&
      !(value == 0 && std::signbit(value))) {
    AppendInteger(static_cast<int64_t>(value), out);
    return;
  }
  char buffer[40];
  // The shorter of plain and scientific form; nearly always plain.
  auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  if (std::fabs(value) < T(1e15) && !std::memchr(buffer, 'e', result.ptr - buffer)) {
    out->append(buffer, result.ptr - buffer);
    return;
  }
  result = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  const char* p = buffer;
  if (*p == '-') {
    out->push_back('-');
    ++p;
  }
  // d[.ddd]e±xx
  char digits[32];
  int count = 0;
  for (; *p != 'e'; ++p) {
    if (*p != '.') digits[count++] = *p;
  }
  int exponent = 0;
  std::from_chars(p[1] == '+' ? p + 2 : p + 1, result.ptr, exponent);
  AppendDecimal(digits, count, exponent, out);
}

template <typename T>
void AppendChars(T value, std::string* out) {
  char buffer[24];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, result.ptr);
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

void AppendDouble(double value, std::string* out) { AppendFloating(value, out); }
void AppendFloat(float value, std::string* out) { AppendFloating(value, out); }
void AppendInteger(int64_t value, std::string* out) { AppendChars(value, out); }
void AppendUnsigned(uint64_t value, std::string* out) { AppendChars(value, out); }

void AppendNumber(const Number& number, std::string* out) {
  switch (number.kind) {
    case Number::Kind::kUnsigned:
      return AppendUnsigned(number.u, out);
    case Number::Kind::kNegative:
      return AppendInteger(number.i, out);
    case Number::Kind::kDouble:
      return AppendDouble(number.d, out);
  }
}

void AppendQuoted(std::string_view text, std::string* out) {
  const auto has = [&](char c) { return std::memchr(text.data(), c, text.size()) != nullptr; };
  const bool any = !text.empty();
  const char quote = any && has('"') && !has('\'') ? '\'' : '"';
  const bool triple = any && has('\n');
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
