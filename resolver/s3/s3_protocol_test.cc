#include "resolver/s3/s3_protocol.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "resolver/http/http_validators.h"

namespace stagedoor {
namespace {

TEST(S3ProtocolTest, AddressesBuckets) {
  const auto allowed = UrlAllowList::Parse(
      std::vector<std::string>{"s3://bucket", "s3://dotted.bucket", "s3://Upper", "s3://b-19"});
  const auto url = [&](std::string_view region, std::string_view endpoint,
                       const std::string& path) {
    S3Protocol::Options options{std::nullopt, std::string(region)};
    if (!endpoint.empty()) options.endpoint = *ParseUrl(endpoint);
    const S3Protocol protocol(*allowed, options, nullptr, nullptr);
    const auto request = protocol.MakeRequest(path, nullptr);
    EXPECT_TRUE(request.ok()) << request.status();
    // Only an endpoint that the operator has named may be at a private address.
    EXPECT_EQ(request->is_allowed_host, !endpoint.empty());
    return request->url.Text();
  };
  EXPECT_EQ(url("us-east-1", "", "s3://bucket/a/b"),
            "https://bucket.s3.us-east-1.amazonaws.com/a/b");
  EXPECT_EQ(url("cn-north-1", "", "s3://bucket/a"),
            "https://bucket.s3.cn-north-1.amazonaws.com.cn/a");
  EXPECT_EQ(url("us-east-1", "", "s3://dotted.bucket/a"),
            "https://s3.us-east-1.amazonaws.com/dotted.bucket/a");
  EXPECT_EQ(url("us-east-1", "", "s3://b-19/a"), "https://b-19.s3.us-east-1.amazonaws.com/a");
  EXPECT_EQ(url("us-east-1", "", "s3://Upper/a"), "https://s3.us-east-1.amazonaws.com/Upper/a");
  EXPECT_EQ(url("x", "http://minio:9000", "s3://bucket/a//b"), "http://minio:9000/bucket/a//b");
  EXPECT_EQ(url("x", "https://host/s3/", "s3://bucket/a"), "https://host/s3/bucket/a");
  EXPECT_EQ(url("x", "https://host/s3", "s3://bucket/a"), "https://host/s3/bucket/a");
}

TEST(S3ProtocolTest, NeedsAKey) {
  const auto allowed = UrlAllowList::Parse(std::vector<std::string>{"s3://bucket", "http://host"});
  const S3Protocol protocol(*allowed, {}, nullptr, nullptr);
  for (const std::string path : {"s3://bucket", "s3://bucket/", "http://host/a"}) {
    EXPECT_EQ(protocol.MakeRequest(path, nullptr).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(S3ProtocolTest, IgnoresVersionIdsThatCannotBeKept) {
  const UrlAllowList allowed;
  const S3Protocol protocol(allowed, {}, nullptr, nullptr);
  for (const std::string& id : {std::string("null"), std::string(300, 'x'), std::string("a b")}) {
    HttpHeaders headers;
    headers.AddLine("x-amz-version-id: " + id);
    headers.AddLine("ETag: \"e\"");
    EXPECT_EQ(protocol.Identify(headers, 1).handle, "E\"e\"");
  }
}

TEST(S3ProtocolTest, KeepsHandlesOfTheLargestSize) {
  const UrlAllowList allowed;
  const S3Protocol protocol(allowed, {}, nullptr, nullptr);
  const size_t room = kMaxHandleBytes - std::string_view("V \"e\"").size();
  for (const size_t size : {room, room + 1}) {
    HttpHeaders headers;
    headers.AddLine("x-amz-version-id: " + std::string(size, 'x'));
    headers.AddLine("ETag: \"e\"");
    EXPECT_EQ(protocol.Identify(headers, 1).handle.starts_with('V'), size == room) << size;
  }
}

}  // namespace
}  // namespace stagedoor
