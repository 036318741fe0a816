#include "resolver/http/http_call.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(RedirectTest, IsNeverLessSecure) {
  const auto allowed = UrlAllowList::Parse(
      std::vector<std::string>{"https://host/", "http://host/", "http://plain/", "s3://bucket/"});
  const auto code = [&](std::string_view from, std::string_view location) {
    return RedirectTarget(*ParseUrl(from), location, *allowed).status().code();
  };
  EXPECT_EQ(code("http://host/a", "https://host/a"), absl::StatusCode::kOk);
  EXPECT_EQ(code("http://host/a", "http://plain/a"), absl::StatusCode::kOk);
  EXPECT_EQ(code("https://host/a", "/b"), absl::StatusCode::kOk);
  EXPECT_EQ(code("https://host/a", "http://host/a"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code("https://host/a", "http://plain/a"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code("http://host/a", "s3://bucket/a"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code("https://host/a", "https://other/a"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code("https://host/a", "https://u@host/a"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("https://host/a", "https://host:443/./a#x"), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace stagedoor
