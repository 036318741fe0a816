#include "resolver/s3/aws_signature.h"

#include <string>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// The examples of "Authenticating Requests: Using the Authorization Header" in the S3 API
// reference.
const AwsCredentials kKeys{
    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", {}};
const std::chrono::sys_seconds kTime =
    std::chrono::sys_days(std::chrono::year(2013) / std::chrono::May / 24);

std::string Find(const HttpRequest& request, std::string_view name) {
  for (const HttpHeader& header : request.credentials) {
    if (header.name == name) return header.value;
  }
  return "";
}

HttpRequest Request(std::string path, std::string query) {
  HttpRequest request;
  request.url = {"https", "examplebucket.s3.amazonaws.com", 443, std::move(path), std::move(query)};
  return request;
}

TEST(AwsSignatureTest, SignsTheExamplesOfTheReference) {
  HttpRequest get = Request("/test.txt", "");
  get.headers = {{"Range", "bytes=0-9"}};
  SignForS3(kKeys, "us-east-1", kTime, &get);
  EXPECT_EQ(Find(get, "x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(Find(get, "x-amz-content-sha256"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Find(get, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  const auto signature = [](HttpRequest request) {
    SignForS3(kKeys, "us-east-1", kTime, &request);
    const std::string all = Find(request, "Authorization");
    return all.substr(all.find("Signature=") + 10);
  };
  EXPECT_EQ(signature(Request("/", "?lifecycle")),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signature(Request("/", "?prefix=J&max-keys=2")),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(AwsSignatureTest, EverythingOfARequestCounts) {
  const auto signature = [](const HttpRequest& request, const AwsCredentials& keys,
                            std::string_view region, std::chrono::sys_seconds now) {
    HttpRequest copy = request;
    SignForS3(keys, region, now, &copy);
    const std::string all = Find(copy, "Authorization");
    return all.substr(all.find("Signature=") + 10);
  };
  const HttpRequest plain = Request("/a", "");
  const std::string expected = signature(plain, kKeys, "us-east-1", kTime);
  EXPECT_EQ(signature(plain, kKeys, "us-east-1", kTime), expected);
  HttpRequest head = plain;
  head.head_only = true;
  HttpRequest range = plain;
  range.headers = {{"Range", "bytes=0-1"}};
  AwsCredentials token = kKeys;
  token.session_token = "t";
  EXPECT_NE(signature(head, kKeys, "us-east-1", kTime), expected);
  EXPECT_NE(signature(range, kKeys, "us-east-1", kTime), expected);
  EXPECT_NE(signature(Request("/b", ""), kKeys, "us-east-1", kTime), expected);
  EXPECT_NE(signature(plain, token, "us-east-1", kTime), expected);
  EXPECT_NE(signature(plain, kKeys, "eu-west-1", kTime), expected);
  EXPECT_NE(signature(plain, kKeys, "us-east-1", kTime + std::chrono::seconds(1)), expected);
}

TEST(AwsSignatureTest, Encodes) {
  EXPECT_EQ(EncodeForAws("a/b c+\xc3\xa9~%.usd", true), "a/b%20c%2B%C3%A9~%25.usd");
  EXPECT_EQ(EncodeForAws("a/b", false), "a%2Fb");
  EXPECT_EQ(EncodeForAws("azAZ09-._~", false), "azAZ09-._~");
  EXPECT_EQ(EncodeForAws("`{@[:,", false), "%60%7B%40%5B%3A%2C") << "next to those";
}

}  // namespace
}  // namespace stagedoor
