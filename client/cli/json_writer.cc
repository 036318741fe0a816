#include "client/cli/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace stagedoor {
namespace {

// From "d.ddde±xx" to the usual notation where that is no longer than people like (as Python's
// repr).
std::string Readable(std::string_view scientific) {
  const size_t e = scientific.find('e');
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  if (exponent < -4 || exponent >= 16) return std::string(scientific);
  std::string_view mantissa = scientific.substr(0, e);
  std::string out;
  if (mantissa.front() == '-') {
    out = "-";
    mantissa.remove_prefix(1);
  }
  std::string digits(mantissa.substr(0, 1));
  if (mantissa.size() > 2) digits.append(mantissa.substr(2));
  const int size = static_cast<int>(digits.size());
  if (exponent < 0) {
    return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  if (size <= exponent + 1) {
    return out + digits + std::string(static_cast<size_t>(exponent + 1 - size), '0');
  }
  const size_t point = static_cast<size_t>(exponent) + 1;
  return out + digits.substr(0, point) + "." + digits.substr(point);
}

template <typename Float>
std::string Text(Float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[48];
  // Above, the integer has more digits than it takes to tell a float.
  constexpr Float kLargest = sizeof(Float) == 4 ? Float(1 << 24) : Float(1e15);
  if (std::abs(value) < kLargest && value == std::trunc(value)) {
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), static_cast<int64_t>(value));
    return std::string(buffer, end.ptr);
  }
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  return Readable(std::string_view(buffer, static_cast<size_t>(end.ptr - buffer)));
}

}  // namespace

std::string NumberText(double value) { return Text(value); }
std::string NumberText(float value) { return Text(value); }

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

void JsonWriter::Int(int64_t value) {
  char buffer[24];
  Raw(std::string_view(
      buffer,
      static_cast<size_t>(std::to_chars(buffer, buffer + sizeof(buffer), value).ptr - buffer)));
}

void JsonWriter::UInt(uint64_t value) {
  char buffer[24];
  Raw(std::string_view(
      buffer,
      static_cast<size_t>(std::to_chars(buffer, buffer + sizeof(buffer), value).ptr - buffer)));
}

void JsonWriter::Number(double value) {
  std::isfinite(value) ? Raw(NumberText(value)) : String(NumberText(value));
}

void JsonWriter::Number(float value) {
  std::isfinite(value) ? Raw(NumberText(value)) : String(NumberText(value));
}

std::string JsonWriter::Take() {
  comma_ = false;
  return std::exchange(text_, std::string());
}

}  // namespace stagedoor
