#include <string>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/http/testing/served_store.h"

namespace stagedoor {
namespace {

using Request = ScriptedServer::Request;
using Reply = ScriptedServer::Reply;

Reply Redirect(int status, std::string_view location) {
  return {HttpResponse(status, Concat("Location: ", location, "\r\n"), "moved")};
}

TEST(HttpAccessTest, FollowsAllowedRedirects) {
  for (const int status : {301, 302, 303, 307, 308}) {
    ServedStore served([status](const Request& request) {
      if (request.target == "/show/a.usd") return Redirect(status, "b/../c.usd#x");
      return ServeObject(request, request.target, "\"v1\"");
    });
    const auto opened = served.Open("a.usd", 100);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(opened->head, "/show/c.usd");
    EXPECT_EQ(served.server().requests()[1].connection, 0) << "the connection is kept";
    EXPECT_EQ(served.client().statistics().redirects, 1);
  }
}

TEST(HttpAccessTest, RefusesOtherRedirects) {
  for (const std::string_view location :
       {"/secret", "/show/../secret", "/show/%2e%2e/secret", "http://127.0.0.1:1/show/a",
        "http://169.254.169.254/latest/meta-data/?secret", "file:///etc/passwd", "ftp://h/secret",
        "//evil/show/a", "http://u:secret@evil/", "/show/..%2fsecret", "s3://bucket/secret"}) {
    ServedStore served([location](const Request&) { return Redirect(302, location); });
    const auto opened = served.Open("a.usd");
    EXPECT_TRUE(opened.status().code() == absl::StatusCode::kPermissionDenied ||
                opened.status().code() == absl::StatusCode::kInvalidArgument)
        << location << opened.status();
    EXPECT_EQ(served.server().requests().size(), 1);
    EXPECT_EQ(Message(opened.status()).find("u:secret"), std::string::npos);
    EXPECT_EQ(Message(opened.status()).find("?secret"), std::string::npos);
  }
}

TEST(HttpAccessTest, EndsRedirectLoops) {
  ServedStore same([](const Request&) { return Redirect(302, "/show/a.usd"); });
  EXPECT_EQ(same.Open("a.usd").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(same.server().requests().size(), 1);
  ServedStore longer([](const Request& request) { return Redirect(302, request.target + "x"); });
  EXPECT_EQ(longer.Open("a.usd").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(longer.server().requests().size(), 1 + 5);
}

// Requests one URL with credentials.
class WithCredentials final : public HttpExchange {
 public:
  explicit WithCredentials(const std::string& url, bool configured) {
    request_.url = *ParseUrl(url);
    request_.headers = {{"X-Plain", "1"}};
    request_.credentials = {{"Authorization", "secret"}};
    request_.is_allowed_url = configured;
    request_.is_allowed_host = configured;
  }
  absl::StatusOr<HttpRequest> MakeRequest(RequestContext&) override { return request_; }
  absl::StatusOr<HttpNext> OnHead(const HttpResponseHead& head) override {
    status = head.status;
    return HttpNext::kContinue;
  }
  absl::StatusOr<HttpNext> OnBody(std::string_view) override { return HttpNext::kContinue; }
  absl::StatusOr<HttpNext> OnEnd() override { return HttpNext::kDone; }

  int status = 0;

 private:
  HttpRequest request_;
};

TEST(HttpAccessTest, SendsCredentialsToOneOriginOnly) {
  ScriptedServer other([](const Request&) { return Reply{HttpResponse(200, "", "")}; });
  ServedStore served(
      [&](const Request& request) {
        return request.target == "/show/a" ? Redirect(302, "/show/b")
                                           : Redirect(302, other.Url("/c"));
      },
      {}, {other.Url("/")});
  WithCredentials exchange(served.Path("a"), false);
  RequestContext context;
  ASSERT_TRUE(served.client().Run(context, exchange).ok());
  EXPECT_EQ(served.server().requests()[1].Header("authorization"), "secret");
  EXPECT_EQ(other.requests()[0].Header("authorization"), "");
  EXPECT_EQ(other.requests()[0].Header("x-plain"), "1");
}

TEST(HttpAccessTest, RequestsNoUrlThatIsNotAllowed) {
  ScriptedServer other([](const Request&) { return Reply{HttpResponse(200, "", "")}; });
  ServedStore served([](const Request&) { return Reply{}; });
  WithCredentials exchange(other.Url("/c"), false);
  RequestContext context;
  EXPECT_EQ(served.client().Run(context, exchange).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(other.connection_count(), 0);
}

TEST(HttpAccessTest, DoesNotFollowRedirectsOfConfiguredEndpoints) {
  ServedStore served([](const Request&) { return Redirect(302, "/show/b"); });
  WithCredentials exchange(served.server().Url("/endpoint"), true);
  RequestContext context;
  ASSERT_TRUE(served.client().Run(context, exchange).ok());
  EXPECT_EQ(exchange.status, 302);
}

TEST(HttpAccessTest, RefusesNamesOfPrivateAddresses) {
  // The name is allowed, and what it points to is not: as after DNS rebinding.
  ScriptedServer server([](const Request& request) { return ServeObject(request, "x", "\"v1\""); });
  const std::string url = Concat("http://localhost:", server.port(), "/a.usd");
  ServedStore served([](const Request&) { return Reply{}; }, {}, {url});
  RequestContext context;
  const auto opened = served.store().Open(context, url, nullptr, 4);
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kPermissionDenied) << opened.status();
  EXPECT_NE(Message(opened.status()).find("--allow-network"), std::string::npos);
  EXPECT_EQ(server.connection_count(), 0);
}

TEST(HttpAccessTest, RefusesPrivateAddressesOnKeptConnections) {
  ScriptedServer server([](const Request& request) { return ServeObject(request, "x", "\"v1\""); });
  const std::string url = Concat("http://localhost:", server.port(), "/a.usd");
  ServedStore served([](const Request&) { return Reply{}; }, {}, {url});
  // A configured endpoint opens the connection.
  WithCredentials exchange(url, true);
  RequestContext context;
  ASSERT_TRUE(served.client().Run(context, exchange).ok());
  EXPECT_EQ(server.requests().size(), 1);
  EXPECT_EQ(served.store().Open(context, url, nullptr, 4).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(server.requests().size(), 1);
}

TEST(HttpAccessTest, AllowsListedNetworks) {
  HttpClientOptions options;
  options.transfers.network = *NetworkPolicy::Parse(std::vector<std::string>{"127.0.0.0/8", "::1"});
  ScriptedServer server([](const Request& request) { return ServeObject(request, "x", "\"v1\""); });
  const std::string url = Concat("http://localhost:", server.port(), "/a.usd");
  ServedStore served([](const Request&) { return Reply{}; }, options, {url});
  RequestContext context;
  const auto opened = served.store().Open(context, url, nullptr, 4);
  EXPECT_TRUE(opened.ok()) << opened.status();
}

TEST(HttpAccessTest, RefusesUrlsThatAreNotAllowed) {
  ServedStore served([](const Request&) { return Reply{}; });
  RequestContext context;
  for (const std::string& url :
       {served.server().Url("/secret"), served.Path("../secret"), served.Path("%2e%2e/secret"),
        Concat("http://localhost:", served.server().port(), "/show/a"),
        std::string("https://127.0.0.1/show/a"), std::string("s3://bucket/a")}) {
    EXPECT_EQ(served.store().Open(context, url, nullptr, 4).status().code(),
              absl::StatusCode::kPermissionDenied)
        << url;
  }
  EXPECT_TRUE(served.server().requests().empty());
}

TEST(HttpAccessTest, UsesAProxy) {
  // The scripted server is the proxy of a host that has no address.
  ScriptedServer proxy(
      [](const Request& request) { return ServeObject(request, request.target, "\"v1\""); });
  HttpClientOptions options;
  options.transfers.proxy = Concat("http://user:secret@127.0.0.1:", proxy.port());
  ServedStore served([](const Request&) { return Reply{}; }, options, {"http://host.invalid/"});
  RequestContext context;
  const auto opened = served.store().Open(context, "http://host.invalid/a.usd", nullptr, 100);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "http://host.invalid/a.usd");
  EXPECT_NE(proxy.requests()[0].Header("proxy-authorization"), "");
}

TEST(HttpAccessTest, RejectsWrongOptions) {
  HttpClientOptions proxy;
  proxy.transfers.proxy = "socks5://user:secret@host";
  EXPECT_EQ(HttpClient::Create(proxy).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(HttpClient::Create(proxy).status()).find("secret"), std::string::npos);
  HttpClientOptions ca_file;
  ca_file.transfers.ca_file = "/nonexistent.pem";
  EXPECT_EQ(HttpClient::Create(ca_file).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor
