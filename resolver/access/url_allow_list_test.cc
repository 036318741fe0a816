#include "resolver/access/url_allow_list.h"

#include <string>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

UrlAllowList List(const std::vector<std::string>& prefixes) {
  const auto list = UrlAllowList::Parse(prefixes);
  EXPECT_TRUE(list.ok()) << list.status();
  return *list;
}

TEST(UrlAllowListTest, AllowsNothingByDefault) {
  EXPECT_TRUE(UrlAllowList().empty());
  EXPECT_EQ(UrlAllowList().Admit("https://host/a").status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST(UrlAllowListTest, ComparesComponents) {
  const UrlAllowList list =
      List({"https://Host/show/", "https://host/lib", "s3://bucket/x", "http://127.0.0.1:8080"});
  for (const std::string_view text :
       {"https://host/show/a.usd", "https://HOST.:443/show/b/../a.usd", "https://host/lib",
        "https://host/lib/a", "https://host/other/../lib/a", "https://host/%6cib/a?q",
        "s3://bucket/x/a", "s3://bucket/x", "http://127.0.0.1:8080/any",
        "http://[::ffff:7f00:1]:8080/any"}) {
    EXPECT_TRUE(list.Admit(text).ok()) << list.Admit(text).status();
  }
  for (const std::string_view text :
       {"https://host/show", "https://host/library", "https://host/", "http://host/show/a",
        "https://host:8443/show/a", "https://host.evil/show/a", "https://evil.host/show/a",
        "https://host/show/../secret", "https://host/show/%2e%2e/secret", "https://host/SHOW/a",
        "s3://bucket/xy", "s3://Bucket/x/a", "s3://bucket/x/../y", "s3://bucket2/x",
        "http://127.0.0.1/any", "http://localhost:8080/any", "https://127.0.0.1:8080/any"}) {
    EXPECT_EQ(list.Admit(text).status().code(), absl::StatusCode::kPermissionDenied) << text;
  }
  for (const std::string_view text : {"https://host/show/..%2fsecret", "https://host@evil/show/a",
                                      "https://host/show/..\\x", "https://host\\@evil/show/"}) {
    EXPECT_EQ(list.Admit(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(UrlAllowListTest, KnowsTheSchemesOfItsPrefixes) {
  const auto list = UrlAllowList::Parse(std::vector<std::string>{"HTTPS://host/show", "s3://b/k"});
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(list->AllowsScheme("https"));
  EXPECT_TRUE(list->AllowsScheme("s3"));
  EXPECT_FALSE(list->AllowsScheme("http"));
}

TEST(UrlAllowListTest, RejectsWrongPrefixes) {
  for (const std::string text : {"host/show", "https://*.studio.com/", "https://u:secret@host/",
                                 "https://host/a?secret", "file:///show", "https://host/a#b"}) {
    const auto list = UrlAllowList::Parse(std::vector<std::string>{text});
    ASSERT_EQ(list.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(Message(list.status()).find("secret"), std::string::npos) << list.status();
  }
}

}  // namespace
}  // namespace stagedoor
