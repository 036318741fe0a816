// testdata/everything.usda has every statement and type of the format, in the order and form in
// which the writer writes them. usd-core reads it the same as the text that it writes of it.
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

std::string Everything() {
  std::ifstream file("scene/usda/testdata/everything.usda");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EverythingTest, IsWrittenAsItWasRead) {
  const std::string text = Everything();
  ASSERT_FALSE(text.empty());
  const auto layer = ReadText(text);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(WriteUsda(**layer), text);
}

TEST(EverythingTest, SurvivesEditing) {
  const auto layer = ReadText(Everything());
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(WriteUsda(*LayerBuilder(**layer).Build({})), Everything());
}

}  // namespace
}  // namespace stagedoor
