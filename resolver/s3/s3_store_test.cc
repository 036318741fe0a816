#include "resolver/s3/s3_store.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/http/testing/scripted_server.h"

namespace stagedoor {
namespace {

using Request = ScriptedServer::Request;
using Reply = ScriptedServer::Reply;

constexpr std::string_view kContent = "0123456789abcdef";

std::string ErrorDocument(std::string_view code) {
  return Concat("<?xml version=\"1.0\"?><Error><Code>", code, "</Code></Error>");
}

// A store of what a scripted server has below s3://bucket/show.
class S3StoreTest : public testing::Test {
 protected:
  void Serve(ScriptedServer::Script script) {
    server_ = std::make_unique<ScriptedServer>(std::move(script));
    options_.endpoint = server_->Url("");
    options_.client = Client();
    store_ = *MakeS3Store(options_);
  }
  static std::shared_ptr<HttpClient> Client() {
    HttpClientOptions options;
    options.allowed_urls = *UrlAllowList::Parse(std::vector<std::string>{"s3://bucket/show"});
    options.retry.wait = [](HttpRetryPolicy::Duration) { return HttpRetryPolicy::Duration(0); };
    return *HttpClient::Create(std::move(options));
  }
  absl::StatusOr<ObjectStore::Opened> Open(const std::string& path, size_t head = 4,
                                           const ObjectInfo* known = nullptr) {
    return store_->Open(context_, path, known, head);
  }
  absl::StatusOr<std::string> Fetch(const std::string& path, const ObjectInfo& info,
                                    ByteRange range) {
    std::string out;
    absl::Status status = store_->Fetch(
        context_, path, info, {&range, 1}, [&out](uint64_t, std::span<const std::byte> bytes) {
          out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return absl::OkStatus();
        });
    if (!status.ok()) return status;
    return out;
  }
  Request LastRequest() { return server_->requests().back(); }

  RequestContext context_;
  S3StoreOptions options_{.keys = {"AKID", "topsecret", "", {}}};
  std::unique_ptr<ScriptedServer> server_;
  std::shared_ptr<const ObjectStore> store_;
};

TEST_F(S3StoreTest, SignsRequestsInPathStyle) {
  Serve([](const Request& request) { return ServeObject(request, kContent, "\"e\""); });
  const auto opened = Open("s3://bucket/show/a b%+\xc3\xa9?.usd");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "0123");
  const Request request = LastRequest();
  EXPECT_EQ(request.target, "/bucket/show/a%20b%25%2B%C3%A9%3F.usd");
  EXPECT_EQ(request.Header("authorization").find("AWS4-HMAC-SHA256 Credential=AKID/"), 0);
  EXPECT_NE(request.Header("authorization")
                .find("/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;"
                      "x-amz-date,Signature="),
            std::string::npos);
  EXPECT_EQ(request.Header("x-amz-security-token"), "");
}

TEST_F(S3StoreTest, AnonymousRequestsAreNotSigned) {
  options_.keys = {};
  Serve([](const Request& request) { return ServeObject(request, kContent, "\"e\""); });
  ASSERT_TRUE(Open("s3://bucket/show/a").ok());
  EXPECT_EQ(LastRequest().Header("authorization"), "");
  EXPECT_EQ(LastRequest().Header("x-amz-date"), "");
}

TEST_F(S3StoreTest, ChecksTheAllowList) {
  Serve([](const Request& request) { return ServeObject(request, kContent, "\"e\""); });
  for (const std::string path : {"s3://bucket/other", "s3://bucket/showy", "s3://other/show/a",
                                 "s3://bucket/show/../other", "https://bucket/show/a"}) {
    EXPECT_EQ(Open(path).status().code(), absl::StatusCode::kPermissionDenied) << path;
  }
  EXPECT_TRUE(server_->requests().empty());
  EXPECT_TRUE(Open("s3://bucket/show/%2e%2e/a").ok()) << "a key has no escapes";
  EXPECT_EQ(LastRequest().target, "/bucket/show/%252e%252e/a");
}

// A server that keeps all versions of an object.
ScriptedServer::Script Versioned(std::map<std::string, std::string>* versions,
                                 std::string* latest) {
  return [versions, latest](const Request& request) {
    const size_t query = request.target.find("?versionId=");
    const std::string id = query == std::string::npos ? *latest : request.target.substr(query + 11);
    const auto found = versions->find(id);
    if (found == versions->end())
      return Reply{HttpResponse(404, "", ErrorDocument("NoSuchVersion"))};
    Reply reply = ServeObject(request, found->second, "\"e-" + id + "\"");
    reply.bytes.insert(reply.bytes.find("\r\n") + 2, "x-amz-version-id: " + id + "\r\n");
    return reply;
  };
}

TEST_F(S3StoreTest, OldVersionsStayReadable) {
  const std::string kOne = "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY_-MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo";
  std::map<std::string, std::string> versions = {{kOne, "0123456789"}, {"two", "abcdefghijk"}};
  std::string latest = kOne;
  Serve(Versioned(&versions, &latest));
  const ObjectInfo one = Open("s3://bucket/show/a")->info;
  EXPECT_EQ(one.handle, "V" + kOne + " \"e-" + kOne + "\"");
  latest = "two";
  EXPECT_EQ(*Fetch("s3://bucket/show/a", one, {2, 3}), "234");
  EXPECT_EQ(LastRequest().target, "/bucket/show/a?versionId=" + kOne);
  const ObjectInfo two = Open("s3://bucket/show/a", 4, &one)->info;
  EXPECT_FALSE(two.version == one.version);
  EXPECT_EQ(*Fetch("s3://bucket/show/a", two, {2, 3}), "cde");
  EXPECT_EQ(Open("s3://bucket/show/a", 4, &two)->head, "");
  EXPECT_EQ(LastRequest().Header("if-none-match"), "\"e-two\"");
  versions.erase(kOne);
  EXPECT_EQ(Fetch("s3://bucket/show/a", one, {2, 3}).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(S3StoreTest, WithoutVersionsTheEntityTagCounts) {
  std::string etag = "\"one\"";
  Serve([&](const Request& request) {
    Reply reply = ServeObject(request, kContent, etag);
    reply.bytes.insert(reply.bytes.find("\r\n") + 2, "x-amz-version-id: null\r\n");
    return reply;
  });
  const ObjectInfo info = Open("s3://bucket/show/a")->info;
  EXPECT_EQ(info.handle, "E\"one\"");
  EXPECT_EQ(*Fetch("s3://bucket/show/a", info, {2, 3}), "234");
  EXPECT_EQ(LastRequest().Header("if-match"), "\"one\"");
  etag = "\"two\"";
  EXPECT_EQ(Fetch("s3://bucket/show/a", info, {2, 3}).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(S3StoreTest, MapsErrors) {
  const struct {
    int status;
    std::string_view code;
    absl::StatusCode expected;
    std::string_view message;
  } kCases[] = {
      {404, "NoSuchKey", absl::StatusCode::kNotFound, "NoSuchKey"},
      {404, "NoSuchBucket", absl::StatusCode::kNotFound, "NoSuchBucket"},
      {403, "AccessDenied", absl::StatusCode::kPermissionDenied, "AccessDenied"},
      {403, "SignatureDoesNotMatch", absl::StatusCode::kPermissionDenied, "Signature"},
      {403, "InvalidObjectState", absl::StatusCode::kPermissionDenied, "restored"},
      {503, "SlowDown", absl::StatusCode::kUnavailable, "SlowDown"},
      {400, "RequestTimeout", absl::StatusCode::kUnavailable, "RequestTimeout"},
      {301, "PermanentRedirect", absl::StatusCode::kFailedPrecondition, "--s3-region"},
      {307, "", absl::StatusCode::kFailedPrecondition, "--s3-region"},
      {400, "AuthorizationHeaderMalformed", absl::StatusCode::kFailedPrecondition, "--s3-region"},
      {400, "InvalidRequest", absl::StatusCode::kInvalidArgument, "InvalidRequest"},
      {500, "", absl::StatusCode::kUnavailable, "500"},
  };
  for (const auto& c : kCases) {
    Serve([&c](const Request&) {
      return Reply{HttpResponse(c.status, "Location: http://127.0.0.1:1/x\r\n",
                                c.code.empty() ? "" : ErrorDocument(c.code))};
    });
    const auto opened = Open("s3://bucket/show/a");
    EXPECT_EQ(opened.status().code(), c.expected) << c.code;
    EXPECT_NE(Message(opened.status()).find(c.message), std::string::npos) << opened.status();
    EXPECT_NE(Message(opened.status()).find("'s3://bucket/show/a'"), std::string::npos);
    EXPECT_EQ(Message(opened.status()).find("AKID"), std::string::npos);
    EXPECT_EQ(Message(opened.status()).find("topsecret"), std::string::npos);
  }
}

TEST_F(S3StoreTest, RepeatsTheRegionThatS3States) {
  const std::string malformed =
      "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
  const struct {
    int status;
    std::string headers, body, part;
  } kCases[] = {
      {400, "", malformed,
       "in the region 'eu-west-1', not in 'us-east-1'; set --s3-region=eu-west-1"},
      {301, "x-amz-bucket-region: ap-south-2\r\n", ErrorDocument("PermanentRedirect"),
       "in the region 'ap-south-2', not in 'us-east-1'; set --s3-region=ap-south-2"},
      {301, "x-amz-bucket-region: ap-south-2\r\n", "", "set --s3-region=ap-south-2"},
      {301, "x-amz-bucket-region: us-east-1\r\n", "", "check --s3-region and --s3-endpoint"},
      {301, "x-amz-bucket-region: evil.com/\r\n", "", "check --s3-region and --s3-endpoint"},
      {400, "", "<Error><Code>AuthorizationHeaderMalformed</Code><Region>\x1b[31m</Region></Error>",
       "check --s3-region and --s3-endpoint"},
  };
  for (const auto& c : kCases) {
    Serve([&c](const Request&) { return Reply{HttpResponse(c.status, c.headers, c.body)}; });
    for (const size_t head : {0, 4}) {
      const absl::Status status = Open("s3://bucket/show/a", head).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      EXPECT_NE(Message(status).find(c.part), std::string::npos) << status;
    }
  }
}

TEST_F(S3StoreTest, SaysWhenADeniedRequestWasUnsigned) {
  const ScriptedServer::Script deny = [](const Request&) {
    return Reply{HttpResponse(403, "", ErrorDocument("AccessDenied"))};
  };
  Serve(deny);
  EXPECT_EQ(Message(Open("s3://bucket/show/a").status()).find("unsigned"), std::string::npos);
  options_.keys = {};
  Serve(deny);
  const absl::Status status = Open("s3://bucket/show/a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(Message(status).find("; the request was sent unsigned: no credentials found in "
                                 "--s3-credentials, --s3-credentials-url"),
            std::string::npos)
      << status;
  EXPECT_NE(Message(status).find("AWS_ACCESS_KEY_ID"), std::string::npos) << status;
}

TEST_F(S3StoreTest, RefreshesExpiredCredentialsOnce) {
  int issued = 0;
  bool accept = true;
  ScriptedServer source([&](const Request& request) {
    EXPECT_EQ(request.target, "/creds/guid");
    ++issued;
    return Reply{HttpResponse(200, "",
                              Concat(R"({"AccessKeyId":"A","SecretAccessKey":"topsecret",)",
                                     R"("Token":"token)", issued, R"("})"))};
  });
  options_.credentials_url = source.Url("/creds/guid");
  Serve([&](const Request& request) {
    if (request.Header("x-amz-security-token") == "token1" || !accept) {
      return Reply{HttpResponse(400, "", ErrorDocument("ExpiredToken"))};
    }
    return ServeObject(request, kContent, "\"e\"");
  });
  const auto opened = Open("s3://bucket/show/a");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(issued, 2);
  EXPECT_EQ(server_->requests().size(), 2);
  // HEAD has no body that names the error; the fallback to GET has.
  accept = false;
  const auto info = Open("s3://bucket/show/a", 0);
  EXPECT_EQ(info.status().code(), absl::StatusCode::kPermissionDenied) << info.status();
  EXPECT_NE(Message(info.status()).find("ExpiredToken"), std::string::npos);
  EXPECT_EQ(issued, 3);
}

TEST_F(S3StoreTest, AsksTheMetadataServiceForAToken) {
  ScriptedServer source([](const Request& request) {
    if (request.method == "PUT") {
      EXPECT_EQ(request.target, "/latest/api/token");
      EXPECT_NE(request.Header("x-aws-ec2-metadata-token-ttl-seconds"), "");
      return Reply{HttpResponse(200, "", "session")};
    }
    if (request.Header("x-aws-ec2-metadata-token") != "session") {
      return Reply{HttpResponse(401, "", "")};
    }
    return Reply{HttpResponse(200, "", R"({"AccessKeyId":"META","SecretAccessKey":"s"})")};
  });
  options_.credentials_url = source.Url("/latest/meta-data/iam/security-credentials/role");
  Serve([](const Request& request) { return ServeObject(request, kContent, "\"e\""); });
  const auto opened = Open("s3://bucket/show/a");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_NE(LastRequest().Header("authorization").find("Credential=META/"), std::string::npos);
}

TEST_F(S3StoreTest, ReportsASourceOfCredentialsThatFails) {
  for (const Reply& reply :
       {Reply{HttpResponse(404, "", "topsecret")}, Reply{HttpResponse(200, "", "topsecret")},
        Reply{HttpResponse(500, "", "topsecret")},
        Reply{HttpResponse(200, "", std::string(70000, 'x'))},
        Reply{HttpResponse(302, "Location: /elsewhere\r\n", "")}}) {
    ScriptedServer source([&](const Request&) { return reply; });
    options_.credentials_url = source.Url("/creds/topsecret");
    Serve([](const Request&) { return Reply{}; });
    const auto opened = Open("s3://bucket/show/a");
    EXPECT_FALSE(opened.ok());
    EXPECT_NE(opened.status().code(), absl::StatusCode::kNotFound);
    EXPECT_NE(Message(opened.status()).find("--s3-credentials-url"), std::string::npos);
    EXPECT_EQ(Message(opened.status()).find("topsecret"), std::string::npos) << opened.status();
    EXPECT_TRUE(server_->requests().empty());
  }
}

TEST_F(S3StoreTest, ReadsCredentialsFiles) {
  const TempDir folder;
  options_.credentials_file = Concat(folder.path(), "/credentials");
  options_.profile = "farm";
  Serve([](const Request& request) { return ServeObject(request, kContent, "\"e\""); });
  const auto missing = Open("s3://bucket/show/a");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(Message(missing.status()).find(options_.credentials_file), std::string::npos);
  std::filesystem::create_directory(options_.credentials_file);
  const absl::Status directory = Open("s3://bucket/show/a").status();
  EXPECT_NE(Message(directory).find("not a readable file"), std::string::npos) << directory;
  std::filesystem::remove(options_.credentials_file);
  std::ofstream(options_.credentials_file)
      << "[farm]\naws_access_key_id=FARM\naws_secret_access_key=topsecret\n";
  ASSERT_TRUE(Open("s3://bucket/show/a").ok());
  EXPECT_NE(LastRequest().Header("authorization").find("Credential=FARM/"), std::string::npos);
}

TEST_F(S3StoreTest, ReadsTheEnvironment) {
  setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "topsecret", 1);
  setenv("AWS_SESSION_TOKEN", "token", 1);
  setenv("AWS_REGION", "eu-west-1", 1);
  options_.keys = {};
  ReadS3Environment(&options_);
  Serve([](const Request& request) { return ServeObject(request, kContent, "\"e\""); });
  ASSERT_TRUE(Open("s3://bucket/show/a").ok());
  EXPECT_NE(LastRequest().Header("authorization").find("Credential=ENV/"), std::string::npos);
  EXPECT_NE(LastRequest().Header("authorization").find("/eu-west-1/s3/"), std::string::npos);
  EXPECT_EQ(LastRequest().Header("x-amz-security-token"), "token");
}

TEST_F(S3StoreTest, RejectsWrongOptions) {
  const auto code = [](S3StoreOptions options) {
    options.client = Client();
    const auto store = MakeS3Store(options);
    EXPECT_EQ(Message(store.status()).find("topsecret"), std::string::npos);
    return store.status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code({.endpoint = "s3://bucket/"}), kInvalid);
  EXPECT_EQ(code({.endpoint = "host:9000"}), kInvalid);
  EXPECT_EQ(code({.endpoint = "http://u:topsecret@host:9000"}), kInvalid);
  EXPECT_EQ(code({.region = "evil.com/"}), kInvalid);
  EXPECT_EQ(code({.region = std::string(33, 'a')}), kInvalid);
  EXPECT_EQ(code({.keys = {"A", "", "", {}}}), kInvalid);
  EXPECT_EQ(code({.keys = {"A", "topsecret\r\nx", "", {}}}), kInvalid);
  EXPECT_EQ(code({.credentials_file = "/a", .credentials_url = "http://b"}), kInvalid);
  EXPECT_EQ(code({.credentials_url = "file:///a"}), kInvalid);
  EXPECT_EQ(code({.region = std::string(32, 'a')}), absl::StatusCode::kOk);
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace stagedoor
