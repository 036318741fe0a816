#include "resolver/http/http_validators.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/strings.h"
#include "resolver/http/http_message.h"

namespace stagedoor {
namespace {

constexpr const char* kDate = "Last-Modified: Wed, 21 Oct 2026 07:28:00 GMT";
constexpr const char* kLater = "Last-Modified: Wed, 21 Oct 2026 07:28:01 GMT";

ObjectInfo Identify(std::initializer_list<std::string_view> lines, uint64_t size = 100) {
  HttpHeaders headers;
  for (const std::string_view line : lines) EXPECT_TRUE(headers.AddLine(line));
  return IdentifyByValidators(headers, size);
}

using Condition = void (*)(const ObjectInfo&, HttpRequest*);

// The conditions that are added, as "Name: value".
std::string Added(Condition add, const ObjectInfo& info) {
  HttpRequest request;
  add(info, &request);
  std::string text;
  for (const HttpHeader& header : request.headers) text += Concat(header.name, ": ", header.value);
  return text;
}

TEST(HttpValidatorsTest, ConditionsRepeatTheBestValidator) {
  const ObjectInfo strong = Identify({"ETag: \"v1\"", kDate});
  EXPECT_EQ(Added(AddIfChanged, strong), "If-None-Match: \"v1\"");
  EXPECT_EQ(Added(AddIfUnchanged, strong), "If-Match: \"v1\"");
  const ObjectInfo weak = Identify({"ETag: W/\"v1\"", kDate});
  EXPECT_EQ(Added(AddIfChanged, weak), "If-None-Match: W/\"v1\"");
  EXPECT_EQ(Added(AddIfUnchanged, weak), "") << "only strong ETags are compared byte by byte";
  const ObjectInfo dated = Identify({kDate});
  EXPECT_EQ(Added(AddIfChanged, dated), "If-Modified-Since: Wed, 21 Oct 2026 07:28:00 GMT");
  EXPECT_EQ(Added(AddIfUnchanged, dated), "");
  const ObjectInfo unknown = Identify({"Last-Modified: yesterday"});
  EXPECT_EQ(Added(AddIfChanged, unknown), "");
  EXPECT_EQ(unknown.version.token(), "");
}

TEST(HttpValidatorsTest, VersionsChangeWithWhatIdentifiesThem) {
  const auto strong = Identify({"ETag: \"v1\"", kDate}).version;
  EXPECT_EQ(Identify({"ETag: \"v1\"", kLater}).version, strong);
  EXPECT_NE(Identify({"ETag: \"v2\"", kDate}).version, strong);
  EXPECT_NE(Identify({"ETag: \"v1\"", kDate}, 101).version, strong);
  const auto weak = Identify({"ETag: W/\"v1\"", kDate}).version;
  EXPECT_NE(weak, strong);
  EXPECT_NE(Identify({"ETag: W/\"v1\"", kLater}).version, weak);
  EXPECT_NE(Identify({"ETag: W/\"v1\"", kDate}, 101).version, weak);
  const auto dated = Identify({kDate}).version;
  EXPECT_NE(Identify({kLater}).version, dated);
  EXPECT_NE(Identify({kDate}, 101).version, dated);
}

// The size is 64 in hexadecimal.
TEST(HttpValidatorsTest, VersionsMadeOfTimesAreRecognized) {
  const auto by_time = [](std::string_view tag) {
    return Identify({Concat("ETag: ", tag), kDate}).by_time;
  };
  const int64_t seconds =
      ParseHttpDate("Wed, 21 Oct 2026 07:28:00 GMT")->time_since_epoch().count();
  const std::string time = absl::StrFormat("%x", seconds);
  const std::string fine = absl::StrFormat("%x", seconds * 1000000 + 999999);
  EXPECT_TRUE(by_time(Concat("\"", time, "-64\""))) << "nginx";
  EXPECT_TRUE(by_time(Concat("W/\"", time, "-64\""))) << "nginx, compressed for others";
  EXPECT_TRUE(by_time(Concat("\"64-", fine, "\""))) << "Apache";
  EXPECT_TRUE(by_time(Concat("\"1f2e3d-64-", fine, "\""))) << "Apache with inodes";
  EXPECT_TRUE(Identify({"ETag: \"5ad0a7d0-64\""}).by_time) << "without a date";
  EXPECT_TRUE(Identify({kDate}).by_time);
  EXPECT_FALSE(by_time(Concat("\"", time, "-65\""))) << "another size";
  EXPECT_FALSE(by_time("\"5ad0a7d0-64\"")) << "another time";
  EXPECT_FALSE(by_time("\"d41d8cd98f00b204e9800998ecf8427e\"")) << "S3";
  EXPECT_FALSE(by_time("\"d41d8cd98f00b204e9800998ecf8427e-64\"")) << "S3, in parts";
  EXPECT_FALSE(by_time("\"v1\""));
  EXPECT_FALSE(by_time("\"-\""));
  EXPECT_FALSE(by_time("\"\""));
}

TEST(HttpValidatorsTest, AHandleIsBounded) {
  const auto tag = [](size_t bytes) { return Concat("\"", std::string(bytes - 2, 'x'), "\""); };
  const std::string longest = tag(kMaxHandleBytes - 1);
  EXPECT_EQ(Identify({Concat("ETag: ", longest)}).handle, Concat("E", longest));
  const ObjectInfo longer = Identify({Concat("ETag: ", tag(kMaxHandleBytes))});
  EXPECT_EQ(longer.handle, "");
  EXPECT_NE(longer.version.token(), "");
}

TEST(HttpValidatorsTest, ContentIsAVersionOfItsOwnKind) {
  EXPECT_EQ(VersionOfContent("a"), VersionOfContent("a"));
  EXPECT_NE(VersionOfContent("a"), VersionOfContent("b"));
  EXPECT_TRUE(IsVersionOfContent(VersionOfContent("")));
  EXPECT_FALSE(IsVersionOfContent(Identify({kDate}).version));
}

TEST(HttpValidatorsTest, CompressedBodiesAreRefused) {
  HttpHeaders plain, compressed;
  EXPECT_TRUE(plain.AddLine("Content-Encoding: identity"));
  EXPECT_TRUE(compressed.AddLine("Content-Encoding: br"));
  EXPECT_TRUE(CheckNotEncoded(HttpHeaders()).ok());
  EXPECT_TRUE(CheckNotEncoded(plain).ok());
  EXPECT_EQ(CheckNotEncoded(compressed).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor
