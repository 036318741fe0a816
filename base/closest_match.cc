#include "base/closest_match.h"

#include <algorithm>
#include <utility>

namespace stagedoor {
namespace {

constexpr size_t kMaxLength = 100;

// The optimal string alignment distance: how many characters must be inserted, removed or replaced,
// or neighbours swapped.
size_t EditDistance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> before(width), last(width), row(width);  // for prefixes of `a`
  for (size_t j = 0; j < width; ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j < width; ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swaps) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string ClosestMatch(std::string_view typed, const std::vector<std::string>& words) {
  if (typed.size() > kMaxLength) return "";
  std::string closest;
  size_t least = 0;
  for (const std::string& word : words) {
    const size_t distance = EditDistance(typed, word);
    const size_t allowed = std::max<size_t>(1, (std::max(typed.size(), word.size()) + 1) / 3);
    if (distance <= allowed && (closest.empty() || distance < least)) {
      closest = word;
      least = distance;
    }
  }
  return closest;
}

}  // namespace stagedoor
