#include "base/strings.h"

#include <cstdint>
#include <cstring>

namespace stagedoor {
namespace {

// The length of the well-formed UTF-8 sequence at the start of `s`, or 0 if there is none.
size_t Utf8SequenceLength(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
  if (lead == 0xED && second > 0x9F) return 0;  // surrogate
  if (lead == 0xF0 && second < 0x90) return 0;  // overlong
  if (lead == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
  return length;
}

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    out += "\\x";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

std::string ConcatPieces(std::initializer_list<const ConcatPiece*> pieces) {
  size_t size = 0;
  for (const ConcatPiece* piece : pieces) size += piece->text().size();
  std::string out;
  out.reserve(size);
  for (const ConcatPiece* piece : pieces) out.append(piece->text());
  return out;
}

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string Quoted(std::string_view text, size_t max_bytes) {
  std::string out = "'";
  size_t i = 0;
  while (i < text.size() && i < max_bytes) {
    const size_t length = Utf8SequenceLength(text.substr(i));
    const auto byte = static_cast<uint8_t>(text[i]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      AppendEscaped(out, text[i]);
      ++i;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  out += i < text.size() ? "'..." : "'";
  return out;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    // Nearly all text is ASCII, so look at eight bytes at a time.
    uint64_t eight;
    while (text.size() >= sizeof(eight)) {
      std::memcpy(&eight, text.data(), sizeof(eight));
      if ((eight & 0x8080808080808080u) != 0) break;
      text.remove_prefix(sizeof(eight));
    }
    if (text.empty()) break;
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string CoerceToUtf8(std::string_view text) {
  if (IsValidUtf8(text)) [[likely]]
    return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    out.append(length != 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD"));
    text.remove_prefix(length != 0 ? length : 1);
  }
  return out;
}

}  // namespace stagedoor
