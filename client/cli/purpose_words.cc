#include "client/cli/purpose_words.h"

#include <cstddef>

namespace stagedoor {
namespace {

constexpr struct {
  std::string_view word;
  v1::Purpose purpose;
} kPurposes[] = {
    {"default", v1::PURPOSE_DEFAULT},
    {"render", v1::PURPOSE_RENDER},
    {"proxy", v1::PURPOSE_PROXY},
    {"guide", v1::PURPOSE_GUIDE},
};

}  // namespace

std::vector<std::string_view> WordsOf(std::string_view list) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t comma = list.find(',');
    words.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    list.remove_prefix(comma + 1);
  }
}

std::optional<v1::Purpose> PurposeOf(std::string_view word) {
  for (const auto& [known, purpose] : kPurposes) {
    if (known == word) return purpose;
  }
  return std::nullopt;
}

std::string_view PurposeWord(v1::Purpose purpose) {
  for (const auto& [word, known] : kPurposes) {
    if (known == purpose) return word;
  }
  return purpose == v1::PURPOSE_OTHER ? "other" : "default";
}

}  // namespace stagedoor
