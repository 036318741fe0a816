#include "client/cli/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace stagedoor {
namespace {

// Enough bytes for the text of any number.
constexpr size_t kMostNumberText = 48;

// Writes the digits of a number d.ddd × 10^exponent in positional notation and returns the end.
// `out` has room for kMostNumberText bytes.
char* PutPlain(std::string_view digits, int exponent, char* out) {
  const auto put = [&out](std::string_view text) {
    out = std::copy(text.begin(), text.end(), out);
  };
  const int size = static_cast<int>(digits.size());
  if (exponent < 0) {
    put("0.");
    out = std::fill_n(out, -exponent - 1, '0');
    put(digits);
  } else if (size <= exponent + 1) {
    put(digits);
    out = std::fill_n(out, exponent + 1 - size, '0');
  } else {
    put(digits.substr(0, static_cast<size_t>(exponent) + 1));
    *out++ = '.';
    put(digits.substr(static_cast<size_t>(exponent) + 1));
  }
  return out;
}

// Writes the shortest digits that read back as the same number, like Python's repr: in positional
// notation for exponents from -4 to 15.
template <typename Float>
char* PutShortest(Float value, char* out) {
  char text[48];
  char* const end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  // [-]d[.ddd]e±xx
  const char* at = text;
  if (*at == '-') *out++ = *at++;
  char digits[24];
  size_t count = 0;
  const char* const start = at;
  for (; *at != 'e'; ++at) {
    if (*at != '.') digits[count++] = *at;
  }
  int exponent = 0;
  std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
  if (exponent < -4 || exponent >= 16) return std::copy(start, static_cast<const char*>(end), out);
  return PutPlain(std::string_view(digits, count), exponent, out);
}

// Writes a finite number, in at most kMostNumberText bytes, and returns the end.
template <typename Float>
char* PutFinite(Float value, char* out) {
  // Larger integers have more digits than are needed to identify the floating-point number.
  constexpr Float kLargest = sizeof(Float) == 4 ? Float(1 << 24) : Float(1e15);
  if (std::abs(value) < kLargest && value == std::trunc(value)) {
    return std::to_chars(out, out + kMostNumberText, static_cast<int64_t>(value)).ptr;
  }
  return PutShortest(value, out);
}

template <typename Float>
std::string_view Unusual(Float value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

// Writes a number as JSON, in which infinities and nan are strings, and returns the end.
template <typename T>
char* PutJson(T value, char* out) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isfinite(value)) return PutFinite(value, out);
    const std::string_view word = Unusual(value);
    *out++ = '"';
    out = std::copy(word.begin(), word.end(), out);
    *out++ = '"';
    return out;
  } else {
    return std::to_chars(out, out + kMostNumberText, value).ptr;
  }
}

template <typename Float>
std::string Text(Float value) {
  if (!std::isfinite(value)) return std::string(Unusual(value));
  char buffer[kMostNumberText];
  return std::string(buffer, PutFinite(value, buffer));
}

}  // namespace

std::string FormatNumber(double value) { return Text(value); }
std::string FormatNumber(float value) { return Text(value); }

void JsonWriter::Separate() {
  if (comma_) text_.push_back(',');
  comma_ = true;
}

void JsonWriter::Open(char bracket) {
  Separate();
  text_.push_back(bracket);
  comma_ = false;
}

void JsonWriter::Close(char bracket) {
  text_.push_back(bracket);
  comma_ = true;
}

void JsonWriter::Raw(std::string_view text) {
  Separate();
  text_.append(text);
}

void JsonWriter::Key(std::string_view key) {
  String(key);
  text_.push_back(':');
  comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  Separate();
  text_.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_.push_back('\\');
      text_.push_back(c);
    } else if (byte < 0x20 || byte == 0x7f) {
      text_.append("\\u00");
      text_.push_back(kHex[byte >> 4]);
      text_.push_back(kHex[byte & 15]);
    } else {
      text_.push_back(c);
    }
  }
  text_.push_back('"');
}

template <typename T>
void JsonWriter::Put(T value) {
  Separate();
  char buffer[kMostNumberText];
  text_.append(buffer, PutJson(value, buffer));
}

void JsonWriter::Int(int64_t value) { Put(value); }
void JsonWriter::UInt(uint64_t value) { Put(value); }
void JsonWriter::Number(double value) { Put(value); }
void JsonWriter::Number(float value) { Put(value); }

template <typename T>
void JsonWriter::Numbers(const char* data, size_t count) {
  // The text is composed in a buffer and appended in large pieces.
  constexpr size_t kNumbers = 64;
  char buffer[kNumbers * (kMostNumberText + 1)];
  Open('[');
  for (size_t begin = 0; begin < count; begin += kNumbers) {
    char* end = buffer;
    for (size_t i = begin; i < std::min(begin + kNumbers, count); ++i) {
      if (i != 0) *end++ = ',';
      T value;
      std::memcpy(&value, data + i * sizeof(T), sizeof(T));
      end = PutJson(value, end);
    }
    text_.append(buffer, end);
  }
  Close(']');
}
template void JsonWriter::Numbers<float>(const char*, size_t);
template void JsonWriter::Numbers<double>(const char*, size_t);
template void JsonWriter::Numbers<int32_t>(const char*, size_t);
template void JsonWriter::Numbers<uint32_t>(const char*, size_t);
template void JsonWriter::Numbers<int64_t>(const char*, size_t);
template void JsonWriter::Numbers<uint64_t>(const char*, size_t);
template void JsonWriter::Numbers<uint8_t>(const char*, size_t);

std::string JsonWriter::Take() {
  comma_ = false;
  return std::exchange(text_, std::string());
}

}  // namespace stagedoor
