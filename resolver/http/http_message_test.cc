#include "resolver/http/http_message.h"

#include <string>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(HttpFieldsTest, ParsesContentRange) {
  const auto range = ParseContentRange("Bytes 10-19/200");
  ASSERT_TRUE(range.has_value());
  EXPECT_TRUE(range->satisfied);
  EXPECT_EQ(range->first, 10);
  EXPECT_EQ(range->last, 19);
  EXPECT_EQ(range->total, 200);
  EXPECT_FALSE(ParseContentRange("bytes 0-0/*")->total.has_value());
  EXPECT_FALSE(ParseContentRange("bytes */0")->satisfied);
  for (const std::string_view text :
       {"", "bytes", "bytes 1-2", "bytes 2-1/5", "bytes 0-5/5", "bytes -1-2/5", "bytes 1-+2/5",
        "items 0-1/2", "bytes */*", "bytes 0-1/", "bytes 0-99999999999999999999/*",
        "bytes 0-1/2, 3-4/5", "bytes  0-1/2", "bytes 0x0-1/2", "bytes 5/9", "octet 0-1/2"}) {
    EXPECT_FALSE(ParseContentRange(text).has_value()) << text;
  }
}

TEST(HttpFieldsTest, ParsesEntityTags) {
  EXPECT_EQ(ParseEntityTag("\"a-1\"")->quoted, "\"a-1\"");
  EXPECT_FALSE(ParseEntityTag("\"a-1\"")->weak);
  EXPECT_TRUE(ParseEntityTag("W/\"a\"")->weak);
  EXPECT_TRUE(ParseEntityTag("\"" + std::string(1022, 'x') + "\"").has_value());
  EXPECT_FALSE(ParseEntityTag("\"" + std::string(1023, 'x') + "\"").has_value());
  for (const std::string_view text :
       {"", "a", "\"", "w/\"a\"", "\"a", "\"a\"b\"", "\"a\x01\"", "\"a b\"", "\"\xc3\xa9\"", "*"}) {
    EXPECT_FALSE(ParseEntityTag(text).has_value()) << text;
  }
}

TEST(HttpFieldsTest, ParsesDates) {
  const auto date = ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT");
  ASSERT_TRUE(date.has_value());
  EXPECT_EQ(date->time_since_epoch().count(), 784111777);
  for (const std::string_view text :
       {"", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT"}) {
    EXPECT_FALSE(ParseHttpDate(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseHttpDate("Sun, 06 Nov 1994 23:59:60 GMT").has_value()) << "a leap second";
  // No other character will do, except in the name of the day, which is not read.
  const std::string good = "Sun, 06 Nov 1994 08:49:37 GMT";
  for (size_t i = 3; i < good.size(); ++i) {
    std::string text = good;
    text[i] = '?';
    EXPECT_FALSE(ParseHttpDate(text).has_value()) << text;
  }
}

TEST(HttpFieldsTest, ParsesAndBoundsRetryAfter) {
  const std::chrono::sys_seconds now(std::chrono::seconds(784111777));
  const auto seconds = [now](std::string_view text) -> int64_t {
    const auto wait = ParseRetryAfter(text, now);
    return wait ? wait->count() : -1;
  };
  EXPECT_EQ(seconds("120"), 120);
  EXPECT_EQ(seconds("9999999999999999999"), 86400);
  EXPECT_EQ(seconds("Sun, 06 Nov 1994 08:49:47 GMT"), 10);
  EXPECT_EQ(seconds("Sat, 05 Nov 1994 08:49:47 GMT"), 0);
  EXPECT_EQ(seconds("Sat, 05 Nov 9999 08:49:47 GMT"), 86400);
  EXPECT_EQ(seconds("-1"), -1);
  EXPECT_EQ(seconds("soon"), -1);
}

TEST(HttpHeadersTest, FindsUnambiguousFields) {
  HttpHeaders headers;
  EXPECT_TRUE(headers.AddLine("ETag: \"a\"\r\n"));
  EXPECT_TRUE(headers.AddLine("Empty:\r\n"));
  EXPECT_TRUE(headers.AddLine("no field\r\n"));
  EXPECT_TRUE(headers.AddLine("X:1"));
  EXPECT_TRUE(headers.AddLine("x: 2"));
  EXPECT_TRUE(headers.AddLine("y: 1"));
  EXPECT_TRUE(headers.AddLine("Y:  1\t"));
  EXPECT_EQ(headers.Find("etag"), "\"a\"");
  EXPECT_EQ(headers.Find("Y"), "1");
  EXPECT_FALSE(headers.Find("x").has_value());
  EXPECT_FALSE(headers.Find("empty").has_value());
  EXPECT_FALSE(headers.Find("z").has_value());
}

TEST(HttpHeadersTest, IsBounded) {
  HttpHeaders many;
  for (size_t i = 0; i < HttpHeaders::kMaxFields; ++i) EXPECT_TRUE(many.AddLine("a: b"));
  EXPECT_FALSE(many.AddLine("a: b"));
  HttpHeaders large;
  EXPECT_TRUE(large.AddLine("a: " + std::string(60000, 'b')));
  large.Clear();  // a server may send any number of interim responses
  EXPECT_FALSE(large.AddLine("a: " + std::string(6000, 'b')));
}

}  // namespace
}  // namespace stagedoor
