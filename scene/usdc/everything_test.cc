// The layer of scene/usda/testdata/everything.usda as a crate: the one that we write, and the one
// that usd-core wrote (corpus/everything.usdc).
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_writer.h"

namespace stagedoor {
namespace {

std::string EverythingText() {
  std::ifstream file("scene/usda/testdata/everything.usda");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EverythingTest, OurCrateReadsLikeTheText) {
  const auto text_layer = ReadUsda(EverythingText(), {.identifier = "a.usda"});
  ASSERT_TRUE(text_layer.ok()) << text_layer.status();
  const auto bytes = WriteUsdc(**text_layer);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto layer = ReadUsdcBytes(*bytes);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(WriteUsda(**layer), EverythingText());
}

TEST(EverythingTest, TheCrateOfOpenUsdReadsLikeTheText) {
  const auto layer = ReadUsdcBytes(ReadCorpusFile("everything.usdc"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(WriteUsda(**layer), EverythingText());
}

}  // namespace
}  // namespace stagedoor
