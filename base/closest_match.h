#ifndef STAGEDOOR_BASE_CLOSEST_MATCH_H_
#define STAGEDOOR_BASE_CLOSEST_MATCH_H_

#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

// Returns the element of `words` that `typed` is most likely a misspelling of, for "did you mean"
// in error messages. Empty if every word differs from it in more than a third of the characters, or
// if `typed` has more than 100 characters.
std::string ClosestMatch(std::string_view typed, const std::vector<std::string>& words);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_CLOSEST_MATCH_H_
