#include <string>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/access/base64url.h"
#include "server/access/bounded_json.h"
#include "server/access/identity_text.h"

namespace stagedoor::server {
namespace {

TEST(Base64UrlTest, Decodes) {
  EXPECT_EQ(DecodeBase64Url(""), "");
  EXPECT_EQ(DecodeBase64Url("Zg"), "f");
  EXPECT_EQ(DecodeBase64Url("Zm8"), "fo");
  EXPECT_EQ(DecodeBase64Url("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64Url("Zm9vYg"), "foob");
  EXPECT_EQ(DecodeBase64Url("-_-_AA"), std::string("\xfb\xff\xbf\x00", 4));
}

TEST(Base64UrlTest, EachTextIsTheOnlyOneOfItsBytes) {
  for (const std::string_view text : {"Z", "Zm9vZ", "Zg==", "Zg=", "Zh", "Zm9", "+/+/", "Zm 9v",
                                      "Zm9v\n", "Zm9\xc3\xa9", "Zm.v"}) {
    EXPECT_EQ(DecodeBase64Url(text), std::nullopt) << text;
  }
  EXPECT_EQ(DecodeBase64Url(std::string_view("Zm\09v", 5)), std::nullopt);
}

std::string Problem(std::string_view text) {
  const auto json = ParseJsonObject(text);
  return json.ok() ? "" : std::string(Message(json.status()));
}

TEST(BoundedJsonTest, AcceptsObjects) {
  const auto json = ParseJsonObject(R"({"a":[1,{"a":"x"}],"b":1e308})");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ((*json)["a"][1]["a"], "x");
}

TEST(BoundedJsonTest, RejectsWhatIsNotAnObject) {
  for (const std::string_view text : {"1", "[]", "\"x\"", "null", "[{}]"}) {
    EXPECT_EQ(Problem(text), "is not a JSON object") << text;
  }
  for (const std::string_view text :
       {"", "{", "{} x", "{\"a\":}", "{'a':1}", "{\"a\":\"\xff\"}", "{\"a\":\"\xed\xa0\x80\"}",
        "{\"a\":\"\n\"}", "{\"a\":1e999}", "{\"a\":NaN}", "{\"a\":01}", "{\"a\":\"\\ud800\"}",
        "{\"a\":1,}", "{/**/}"}) {
    EXPECT_EQ(Problem(text).substr(0, 25), "is not valid JSON at byte") << text;
  }
  EXPECT_EQ(Problem(std::string_view("{\0}", 3)), "is not valid JSON at byte 1");
}

TEST(BoundedJsonTest, RejectsMembersThatAppearTwice) {
  EXPECT_EQ(Problem(R"({"a":1,"a":1})"), "has a member twice in one object");
  EXPECT_EQ(Problem(R"({"a":1,"\u0061":1})"), "has a member twice in one object");
  EXPECT_EQ(Problem(R"({"b":[{"a":1,"c":{"a":2},"a":1}]})"), "has a member twice in one object");
  EXPECT_EQ(Problem(R"({"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]})"), "");
}

TEST(BoundedJsonTest, RejectsDepthBombs) {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(Problem(nested(kMaxJsonDepth)), "");
  EXPECT_EQ(Problem(nested(kMaxJsonDepth + 1)), "is nested more than 16 deep");
  EXPECT_EQ(Problem(std::string(100000, '[')), "is nested more than 16 deep");
  std::string objects;
  for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
  EXPECT_EQ(Problem(objects), "is nested more than 16 deep");
}

TEST(IdentityTextTest, RefusesWhatCouldForgeLogs) {
  for (const std::string_view text : {"a", "alice@studio.com", "Ren\xc3\xa9", "a b", "a/b:c*"}) {
    EXPECT_TRUE(IsIdentityText(text)) << text;
  }
  EXPECT_TRUE(IsIdentityText(std::string(256, 'a')));
  EXPECT_FALSE(IsIdentityText(std::string(257, 'a')));
  for (const std::string_view text : {"", "a\nb", "\x7f", "a\x1b[0m", "\xc2\x85", "\xe2\x80\xa8",
                                      "\xe2\x80\xa9x", "\xff", "\xc0\x80"}) {
    EXPECT_FALSE(IsIdentityText(text)) << Quoted(text);
  }
  EXPECT_FALSE(IsIdentityText(std::string_view("alice\0", 6)));
  EXPECT_TRUE(IsIdentityText("\xc2\xa0")) << "a space that does not break";
}

}  // namespace
}  // namespace stagedoor::server
