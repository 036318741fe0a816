#include "resolver/http/http_logins.h"

#include <fstream>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/http/http_store.h"
#include "resolver/http/testing/scripted_server.h"

namespace stagedoor {
namespace {

using Request = ScriptedServer::Request;
using Reply = ScriptedServer::Reply;

class HttpLoginsTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, std::string_view content) {
    const std::string path = Concat(folder_.path(), "/", name);
    std::ofstream(path) << content;
    return path;
  }
  static absl::StatusOr<std::optional<HttpHeader>> Header(const std::vector<std::string>& rules,
                                                          const std::string& url) {
    const auto logins = HttpLogins::Parse(rules);
    if (!logins.ok()) return logins.status();
    return logins->HeaderFor(*ParseUrl(url));
  }
  // "NAME: VALUE", "none", or the message of an error.
  static std::string Text(const std::vector<std::string>& rules, const std::string& url) {
    const auto header = Header(rules, url);
    if (!header.ok()) return std::string(Message(header.status()));
    return header->has_value() ? Concat((*header)->name, ": ", (*header)->value) : "none";
  }

  const TempDir folder_;
};

TEST_F(HttpLoginsTest, TheFirstRuleWhosePrefixContainsTheUrlApplies) {
  const std::vector<std::string> rules = {
      "https://host/show/a=bearer:" + Write("one", "tok-1\n"),
      "https://host/=header:" + Write("two", "X-Api-Key:  k e y \r\nmore"),
      "http://127.0.0.1:8080/=bearer:" + Write("three", "t=3")};
  EXPECT_EQ(Text(rules, "https://host/show/a/x.usd"), "Authorization: Bearer tok-1");
  EXPECT_EQ(Text(rules, "https://host/show/ab"), "X-Api-Key: k e y ");
  EXPECT_EQ(Text(rules, "http://127.0.0.1:8080/x"), "Authorization: Bearer t=3");
  for (const char* other : {"http://host/show/a", "https://host:444/", "https://other/"}) {
    EXPECT_EQ(Text(rules, other), "none") << other;
  }
  Write("one", "replaced");
  EXPECT_EQ(Text(rules, "https://host/show/a"), "Authorization: Bearer replaced");
}

TEST_F(HttpLoginsTest, ReadsNetrcFiles) {
  const struct {
    std::string_view text, host, expected;
  } kCases[] = {
      {"machine host login me password secret", "host", "me:secret"},
      {"machine other login you password x\nmachine HOST\n  login me\n  password secret\n", "host",
       "me:secret"},
      {"# machine host login no password no\nmachine host login me password \"a \\\"b\\\\ c\"",
       "host", "me:a \"b\\ c"},
      {"default login any password x machine host login me password secret", "host", "me:secret"},
      {"machine host login me password #secret\n# end", "host", "me:#secret"},
      {"machine other login you password x default login any password y", "host", "any:y"},
      {"macdef init\nmachine host login no\n\nmachine host account z login me password secret",
       "host", "me:secret"},
      {"machine host", "host", ":"},
      {"machine other login you password x", "host", "none"},
      {"machine", "host", "none"},
      {"", "host", "none"},
      {"machine \"host", "host", ":"},
  };
  for (const auto& c : kCases) {
    const auto entry = FindInNetrc(c.text, c.host);
    EXPECT_EQ(entry ? Concat(entry->login, ":", entry->password) : "none", c.expected) << c.text;
  }
  EXPECT_EQ(Text({"https://host/=netrc:" + Write("netrc", "machine host login me password secret")},
                 "https://host/a"),
            "Authorization: Basic bWU6c2VjcmV0");
}

TEST_F(HttpLoginsTest, FilesWithoutALoginAreNamedAndNothingOfThem) {
  for (const auto& [kind, content] : std::vector<std::pair<std::string, std::string>>{
           {"bearer", ""},
           {"bearer", "top secret"},
           {"bearer", "topsecret\x01"},
           {"header", "topsecret"},
           {"header", "Host: topsecret"},
           {"header", "If-Match: topsecret"},
           {"header", "a b: topsecret"},
           {"netrc", "machine x password topsecret"}}) {
    const std::string file = Write("login", content);
    const absl::Status status =
        Header({Concat("https://host/=", kind, ":", file)}, "https://host/").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << content;
    EXPECT_NE(Message(status).find(Concat("'", file, "' (--http-login): ")), std::string::npos)
        << status;
    EXPECT_EQ(Message(status).find("secret"), std::string::npos) << status;
  }
  EXPECT_NE(Text({"https://host/=bearer:/nowhere/token"}, "https://host/")
                .find("'/nowhere/token' (--http-login): No such file"),
            std::string::npos);
}

TEST_F(HttpLoginsTest, WrongRulesAreRefused) {
  for (const char* bad : {"https://host/", "https://host/=bearer:", "=bearer:/t", "host=bearer:/t",
                          "s3://bucket/=bearer:/t", "https://host/=basic:/t",
                          "https://u:topsecret@host/=bearer:/t"}) {
    const auto logins = HttpLogins::Parse(std::vector<std::string>{bad});
    EXPECT_EQ(logins.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(Message(logins.status()).find("topsecret"), std::string::npos) << logins.status();
  }
}

// A store that may read all of a server.
std::shared_ptr<const ObjectStore> StoreOf(const ScriptedServer& server,
                                           const std::vector<std::string>& rules,
                                           std::vector<std::string> more_urls = {}) {
  HttpClientOptions options;
  more_urls.push_back(server.Url("/"));
  options.allowed_urls = *UrlAllowList::Parse(more_urls);
  options.retry.wait = [](HttpRetryPolicy::Duration) { return HttpRetryPolicy::Duration(0); };
  return *MakeHttpStore(
      {.client = *HttpClient::Create(std::move(options)), .logins = *HttpLogins::Parse(rules)});
}

TEST_F(HttpLoginsTest, RequestsAreSentWithTheLogin) {
  ScriptedServer server([](const Request& request) {
    if (request.Header("authorization") != "Bearer token") return Reply{HttpResponse(401, "", "")};
    return ServeObject(request, "0123456789", "\"e\"");
  });
  RequestContext context;
  const auto open = [&](const std::vector<std::string>& rules) {
    return StoreOf(server, rules)->Open(context, server.Url("/a.usd"), nullptr, 4).status();
  };
  const std::string file = Write("token", "token");
  EXPECT_TRUE(open({server.Url("/=bearer:") + file}).ok());
  const absl::Status without = open({});
  EXPECT_EQ(without.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(Message(without).find("--http-login has none for this URL"), std::string::npos)
      << without;
  Write("token", "topsecret");
  const absl::Status wrong = open({server.Url("/=bearer:") + file});
  EXPECT_EQ(wrong.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Message(wrong).find("topsecret"), std::string::npos) << wrong;
  EXPECT_EQ(Message(wrong).find("--http-login has none"), std::string::npos) << wrong;
  EXPECT_EQ(open({server.Url("/=bearer:/nowhere")}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(HttpLoginsTest, ARedirectToAnotherServerIsFollowedWithoutTheLogin) {
  std::string seen = "nothing";
  ScriptedServer other([&](const Request& request) {
    seen = request.Header("x-api-key");
    return ServeObject(request, "0123456789", "\"e\"");
  });
  ScriptedServer server([&](const Request& request) {
    EXPECT_EQ(request.Header("x-api-key"), "secret");
    return Reply{HttpResponse(302, Concat("Location: ", other.Url("/b.usd"), "\r\n"), "")};
  });
  const std::string file = Write("header", "X-Api-Key: secret");
  RequestContext context;
  const auto store = StoreOf(server, {server.Url("/=header:") + file}, {other.Url("/")});
  const auto opened = store->Open(context, server.Url("/a.usd"), nullptr, 4);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(seen, "");
}

}  // namespace
}  // namespace stagedoor
