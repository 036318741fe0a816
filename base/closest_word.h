#ifndef STAGEDOOR_BASE_CLOSEST_WORD_H_
#define STAGEDOOR_BASE_CLOSEST_WORD_H_

#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

// The one of `words` that somebody who typed `typed` most likely meant; empty if none is close: at
// most a third of its characters may differ. For error messages; words longer than 100 characters
// are close to nothing.
std::string ClosestWord(std::string_view typed, const std::vector<std::string>& words);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_CLOSEST_WORD_H_
