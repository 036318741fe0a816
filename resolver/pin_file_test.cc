#include "resolver/pin_file.h"

#include <memory>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/context_resolver.h"
#include "resolver/memory/memory_resolver.h"

namespace stagedoor {
namespace {

std::string Error(std::string_view text) {
  return std::string(Message(ParsePinFile("/p.json", text).status()));
}

TEST(PinFileTest, ParsesAnObjectOfTexts) {
  const auto pins = ParsePinFile("/p.json", R"({"a/./b.usd": "/v2//b.usd", "/c": "d\u00e9"})");
  ASSERT_TRUE(pins.ok()) << pins.status();
  EXPECT_EQ(*pins, (ResolverContext::Pins{{"a/b.usd", "/v2/b.usd"}, {"/c", "d\xc3\xa9"}}));
  EXPECT_TRUE(ParsePinFile("/p.json", "{}")->empty());
}

TEST(PinFileTest, ErrorsNameTheLocation) {
  EXPECT_EQ(Error(""), "/p.json:1:1: the file is not valid JSON");
  EXPECT_EQ(Error("{\"a\":\n  \"b\",,}"), "/p.json:2:7: the file is not valid JSON");
  EXPECT_EQ(Error("{} x"), "/p.json:1:4: the file is not valid JSON");
  EXPECT_EQ(Error("[]"), "/p.json: the file must hold one JSON object");
  EXPECT_EQ(Error("\"a\""), "/p.json: the file must hold one JSON object");
  for (const char* value : {"1", "-1", "1.5", "null", "true", "[\"b\"]", "{\"b\": \"c\"}"}) {
    EXPECT_EQ(Error(Concat("{\"a\": ", value, "}")),
              "/p.json: the value of 'a' must be the text of an asset path");
  }
  EXPECT_EQ(Error("{\"a\": \"\"}"), "/p.json: the asset path is empty");
  EXPECT_EQ(Error("{\"./a\": \"/b\"}"),
            "/p.json: pinned path './a' must be absolute, a URI or a search path, because it is "
            "not relative to a layer");
  EXPECT_EQ(Error("{\"a\": \"/b\", \"x/../a\": \"/c\"}"), "/p.json: 'x/../a' is pinned twice");
}

TEST(PinFileTest, NestingIsNotFollowed) {
  EXPECT_FALSE(ParsePinFile("/p.json", std::string(1000000, '[')).ok());
  EXPECT_FALSE(ParsePinFile("/p.json", Concat("{\"a\":", std::string(1000000, '['))).ok());
}

TEST(PinFileTest, EntriesAreBounded) {
  std::string text = "{";
  for (size_t i = 0; i < kMaxPinsPerFile; ++i) text += Concat("\"/", i, "\":\"/x\",");
  EXPECT_TRUE(ParsePinFile("/p.json", Concat(text.substr(0, text.size() - 1), "}")).ok());
  EXPECT_EQ(ParsePinFile("/p.json", text + "\"/y\":\"/x\"}").status().code(),
            absl::StatusCode::kResourceExhausted);
}

class LoadPinFilesTest : public testing::Test {
 protected:
  void Write(const char* name, const std::string& text) {
    EXPECT_TRUE(memory_->Put(name, text).ok());
  }

  RequestContext context_;
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  ContextResolver resolver_{memory_};
};

TEST_F(LoadPinFilesTest, ReadsThroughTheResolverOfTheContext) {
  Write("/show/pins.json", R"({"/a": "/b"})");
  const auto recipe =
      ResolverContext::Create({.search_paths = {"/show"}, .pin_files = {"pins.json"}});
  const auto loaded = LoadPinFiles(context_, resolver_, recipe);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_NE(loaded->FindPin("/a"), nullptr);
  EXPECT_EQ(*loaded->FindPin("/a"), "/b");
  ASSERT_EQ(loaded->read_pin_files().size(), 1u);
  EXPECT_EQ(loaded->read_pin_files()[0].resolved_path, "/show/pins.json");
  EXPECT_EQ(LoadPinFiles(context_, resolver_, {}).value(), ResolverContext());
}

TEST_F(LoadPinFilesTest, ReadsAgainOnlyWhatHasChanged) {
  Write("/p.json", R"({"/a": "/b"})");
  const auto recipe = ResolverContext::Create({.pin_files = {"/p.json"}});
  const ResolverContext first = LoadPinFiles(context_, resolver_, recipe).value();
  const ResolverContext same = LoadPinFiles(context_, resolver_, first).value();
  EXPECT_EQ(&first.read_pin_files(), &same.read_pin_files());
  EXPECT_TRUE(IsCurrent(context_, resolver_, first, first.read_pin_files()[0]));
  Write("/p.json", R"({"/a": "/c"})");
  EXPECT_FALSE(IsCurrent(context_, resolver_, first, first.read_pin_files()[0]));
  const ResolverContext second = LoadPinFiles(context_, resolver_, first).value();
  EXPECT_EQ(*second.FindPin("/a"), "/c");
  EXPECT_NE(second.fingerprint(), first.fingerprint());
  memory_->Remove("/p.json");
  EXPECT_FALSE(IsCurrent(context_, resolver_, second, second.read_pin_files()[0]));
}

TEST_F(LoadPinFilesTest, ErrorsNameTheFile) {
  Write("/good.json", "{}");
  Write("/bad.json", "{");
  Write("/large.json", std::string(kMaxPinFileBytes + 1, ' '));
  const auto load = [&](const char* name, std::string* failed) {
    const auto recipe = ResolverContext::Create({.pin_files = {"/good.json", name}});
    return LoadPinFiles(context_, resolver_, recipe, failed).status();
  };
  std::string failed;
  EXPECT_EQ(load("/none.json", &failed).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(failed, "/none.json");
  EXPECT_EQ(load("/bad.json", &failed).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(failed, "/bad.json");
  EXPECT_EQ(load("/large.json", &failed).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(load("/bad.json", nullptr).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor
