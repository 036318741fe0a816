#include "base/help_columns.h"

#include <algorithm>

namespace stagedoor {

std::string LeftColumn(std::string left, size_t columns) {
  constexpr auto kStartsCharacter = [](char c) { return (c & 0xc0) != 0x80; };
  const auto width = static_cast<size_t>(std::count_if(left.begin(), left.end(), kStartsCharacter));
  left.append(columns > width + 2 ? columns - width : 2, ' ');
  return left;
}

}  // namespace stagedoor
