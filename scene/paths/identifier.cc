#include "scene/paths/identifier.h"

#include <algorithm>
#include <iterator>

namespace stagedoor {
namespace {

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

#include "scene/paths/xid_tables.inc"

template <size_t N>
bool Contains(const CodePointRange (&table)[N], uint32_t c) {
  const auto* it =
      std::upper_bound(std::begin(table), std::end(table), c,
                       [](uint32_t v, const CodePointRange& r) { return v < r.first; });
  return it != std::begin(table) && c <= std::prev(it)->last;
}

bool IsAsciiLetter(uint32_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool IsAsciiDigit(uint32_t c) { return c >= '0' && c <= '9'; }

// Length in bytes of the longest run of code points at `at` for which `accept` is true.
template <typename Accept>
size_t RunLength(std::string_view text, size_t at, Accept accept) {
  const size_t start = at;
  while (at < text.size()) {
    uint32_t c;
    const size_t n = DecodeUtf8(text, at, &c);
    if (n == 0 || !accept(c)) break;
    at += n;
  }
  return at - start;
}

}  // namespace

bool IsXidStart(uint32_t c) {
  if (c < 0x80) return IsAsciiLetter(c) || c == '_';
  return Contains(kXidStart, c);
}

bool IsXidContinue(uint32_t c) {
  if (c < 0x80) return IsAsciiLetter(c) || c == '_' || IsAsciiDigit(c);
  return Contains(kXidContinue, c);
}

size_t DecodeUtf8(std::string_view text, size_t at, uint32_t* code_point) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const uint32_t first = byte(0);
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  const size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() - at < n) return 0;
  uint32_t c = first & (0xff >> (n + 1));
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    c = c << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (n == 3 && c < 0x800) || (n == 4 && c < 0x10000);
  if (overlong || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
  *code_point = c;
  return n;
}

size_t IdentifierLength(std::string_view text) {
  uint32_t c;
  if (text.empty()) return 0;
  const size_t first = DecodeUtf8(text, 0, &c);
  if (first == 0 || !IsXidStart(c)) return 0;
  return first + RunLength(text, first, IsXidContinue);
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IdentifierLength(text) == text.size();
}

bool IsNamespacedIdentifier(std::string_view text) {
  while (true) {
    const size_t n = IdentifierLength(text);
    if (n == 0) return false;
    if (n == text.size()) return true;
    if (text[n] != ':') return false;
    text.remove_prefix(n + 1);
  }
}

size_t VariantNameLength(std::string_view text) {
  const size_t dot = !text.empty() && text[0] == '.' ? 1 : 0;
  return dot +
         RunLength(text, dot, [](uint32_t c) { return c == '|' || c == '-' || IsXidContinue(c); });
}

}  // namespace stagedoor
