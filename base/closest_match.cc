#include "base/closest_match.h"

#include <algorithm>

namespace stagedoor {
namespace {

constexpr size_t kMaxLength = 100;

// The Levenshtein distance: how many characters must be inserted, removed or replaced.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
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
