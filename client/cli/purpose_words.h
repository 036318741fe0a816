#ifndef STAGEDOOR_CLIENT_CLI_PURPOSE_WORDS_H_
#define STAGEDOOR_CLIENT_CLI_PURPOSE_WORDS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "stagedoor/v1/geom.pb.h"

namespace stagedoor {

// The words of a list that is separated by commas, such as that of --purposes.
std::vector<std::string_view> WordsOf(std::string_view list);

// The purpose that a word names: default, render, proxy or guide. Nothing for any other.
std::optional<v1::Purpose> PurposeOf(std::string_view word);
// The word; "other" for a purpose that has none, "default" for one that is not set.
std::string_view PurposeWord(v1::Purpose purpose);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PURPOSE_WORDS_H_
