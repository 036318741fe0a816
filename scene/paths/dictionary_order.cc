#include "scene/paths/dictionary_order.h"

#include <cstddef>

namespace stagedoor {
namespace {

bool IsDigit(unsigned char c) { return c >= '0' && c <= '9'; }
bool IsLetter(unsigned char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// Ranks characters below '@' first, then letters without regard to case together with the
// punctuation around them ('_' sorts before 'a'), then bytes of non-ASCII characters.
int Rank(unsigned char c) {
  if (c < 0x40 || c >= 0x80) return c;
  return 0x40 + (((c | 0x20) + 5) & 0x1f);
}

// The run of digits at the front of `text`: its length, and its digits without leading zeros.
struct Number {
  explicit Number(std::string_view text) {
    while (length < text.size() && IsDigit(text[length])) ++length;
    size_t zeros = 0;
    while (zeros < length && text[zeros] == '0') ++zeros;
    digits = text.substr(zeros, length - zeros);
  }
  size_t length = 0;
  std::string_view digits;
};

template <typename T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

int CompareDictionaryOrder(std::string_view a, std::string_view b) {
  int tie = 0;  // the first difference in case or leading zeros
  while (!a.empty() && !b.empty()) {
    const unsigned char x = a[0];
    const unsigned char y = b[0];
    if (IsDigit(x) && IsDigit(y)) {
      const Number m(a);
      const Number n(b);
      int order = Compare(m.digits.size(), n.digits.size());
      if (order == 0) order = Compare(m.digits, n.digits);
      if (order != 0) return order;
      const int zeros = Compare(m.length, n.length);
      if (m.digits.empty() && zeros != 0) return zeros;
      if (tie == 0) tie = zeros;
      a.remove_prefix(m.length);
      b.remove_prefix(n.length);
      continue;
    }
    if (x != y) {
      const int order = Compare(Rank(x), Rank(y));
      if (order != 0) return order;
      if (!IsLetter(x)) return Compare(x, y);
      if (tie == 0) tie = Compare(x, y);
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (!a.empty() || !b.empty()) return a.empty() ? -1 : 1;
  return tie;
}

}  // namespace stagedoor
