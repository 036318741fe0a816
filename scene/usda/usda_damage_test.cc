// Texts that are truncated or lack a part: each is either read as a layer that can be written and
// read back, or is an error with a position in the text.
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

std::string Everything() {
  std::ifstream file("scene/usda/testdata/everything.usda");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The offset of the position "a.usda:LINE:COLUMN: " at the start of a message; npos if there is
// none.
size_t PlaceOf(std::string_view message, const std::string& text) {
  constexpr std::string_view kFile = "a.usda:";
  if (!message.starts_with(kFile)) return text.npos;
  const size_t colon = message.find(':', kFile.size());
  if (colon == message.npos) return text.npos;
  const int line = std::stoi(std::string(message.substr(kFile.size(), colon - kFile.size())));
  const int column = std::stoi(std::string(message.substr(colon + 1)));
  size_t start = 0;
  for (int i = 1; i < line; ++i) {
    start = text.find('\n', start);
    if (start == text.npos) return text.npos;
    ++start;
  }
  return start + static_cast<size_t>(column) - 1;
}

// True if the text is a layer; otherwise the error must have a position in the text.
bool CheckRead(const std::string& text, const std::string& what) {
  const auto layer = ReadText(text);
  if (!layer.ok()) {
    EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument) << what;
    const size_t place = PlaceOf(std::string(layer.status().message()), text);
    EXPECT_LE(place, text.size()) << what << " " << layer.status();
    return false;
  }
  const std::string written = WriteUsda(**layer);
  const auto again = ReadText(written);
  EXPECT_TRUE(again.ok()) << what << " " << again.status() << written;
  if (again.ok()) {
    EXPECT_EQ(WriteUsda(**again), written) << what;
  }
  return true;
}

// The begin and end offsets of words, numbers and other single characters, except spaces.
std::vector<std::pair<size_t, size_t>> Tokens(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> tokens;
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    while (in_word(text[begin]) && end < text.size() && in_word(text[end])) ++end;
    if (text[begin] != ' ') tokens.emplace_back(begin, end);
    begin = end;
  }
  return tokens;
}

TEST(UsdaDamageTest, TruncatedTextsAreLayersOrErrorsWithAPosition) {
  const std::string text = Everything();
  ASSERT_FALSE(text.empty());
  const auto tokens = Tokens(text);
  for (size_t i = 0; i < tokens.size(); i += 2) {
    const size_t size = (tokens[i].first + tokens[i].second + 1) / 2;
    CheckRead(text.substr(0, size), Concat("the first ", size));
  }
  const size_t last = text.rfind('}');
  EXPECT_FALSE(CheckRead(text.substr(0, last), "without the last bracket"));
  EXPECT_TRUE(CheckRead(text.substr(0, last + 1), "without the last line end"));
}

TEST(UsdaDamageTest, TextsMissingATokenAreLayersOrErrorsWithAPosition) {
  const std::string text = Everything();
  const auto tokens = Tokens(text);
  std::set<std::string> seen;
  int good = 0;
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    // Try the same token between the same neighbors only once.
    const size_t before = tokens[i - 1].first, behind = tokens[i + 1].second;
    if (!seen.insert(text.substr(before, behind - before)).second || i % 4 != 0) continue;
    const auto [begin, end] = tokens[i];
    std::string rest = text;
    rest.erase(begin, end - begin);
    good += CheckRead(rest, Concat("without '", text.substr(begin, end - begin), "' at ", begin));
  }
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace stagedoor
