#include "scene/layer/layer_format.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

LayerFormat Format(std::string name, std::string extension, const std::string& magic) {
  LayerFormat format{.name = std::move(name), .extensions = {std::move(extension), "other"}};
  if (!magic.empty()) {
    format.reads = [magic](std::string_view first) { return first.starts_with(magic); };
  }
  return format;
}

class LayerFormatsTest : public testing::Test {
 protected:
  // The name of the format that is chosen; empty if none is.
  std::string Chosen(std::string_view path, std::string_view first_bytes) const {
    const LayerFormat* format = formats_.FindForReading(path, first_bytes);
    return format == nullptr ? "" : format->name;
  }

  const LayerFormats formats_{
      {Format("blind", "b", ""), Format("text", "t", "#t"), Format("usdc", "c", "#c")}};
};

TEST_F(LayerFormatsTest, TheExtensionDecides) {
  EXPECT_EQ(Chosen("/a.t", "#c"), "text");
  EXPECT_EQ(Chosen("/a.c", ""), "usdc");
  EXPECT_EQ(Chosen("https://x/a.c", "#t"), "usdc");
  EXPECT_EQ(Chosen("/a.other", ""), "blind") << "the first that has it";
}

TEST_F(LayerFormatsTest, TheContentDecidesForUsdAndForUris) {
  EXPECT_EQ(Chosen("/a.usd", "#t1"), "text");
  EXPECT_EQ(Chosen("/a.usd", "#c1"), "usdc");
  EXPECT_EQ(Chosen("/a.usd", "?"), "");
  EXPECT_EQ(Chosen("https://x/get?id=7", "#c"), "usdc");
  EXPECT_EQ(Chosen("https://x/a.txt", "?"), "");
}

TEST_F(LayerFormatsTest, AnUnknownExtensionHasNoFormat) {
  EXPECT_EQ(Chosen("/a.txt", "#t"), "");
  EXPECT_EQ(Chosen("/a", "#t"), "");
  EXPECT_EQ(formats_.FindByExtension("txt"), nullptr);
  EXPECT_EQ(formats_.FindByExtension("usd"), nullptr);
}

TEST_F(LayerFormatsTest, FilesAreWrittenByTheirExtension) {
  EXPECT_EQ(formats_.FindForWriting("/x/a.t"), formats_.FindByName("text"));
  EXPECT_EQ(formats_.FindForWriting("a.usd"), formats_.FindByName("usdc"));
  EXPECT_EQ(formats_.FindForWriting("a.txt"), nullptr);
  EXPECT_EQ(formats_.FindForWriting("a"), nullptr);
}

TEST_F(LayerFormatsTest, FormatsAreFoundByNameAndExtension) {
  ASSERT_NE(formats_.FindByName("usdc"), nullptr);
  EXPECT_EQ(formats_.FindByName("usdc"), formats_.FindByExtension("c"));
  EXPECT_EQ(formats_.FindByName("c"), nullptr);
}

}  // namespace
}  // namespace stagedoor
