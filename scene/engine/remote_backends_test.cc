#include "scene/engine/remote_backends.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

using Texts = std::vector<std::string>;

// The schemes that the backends serve: "NAME: SCHEMES", each.
Texts Served(const RemoteBackends& backends) {
  Texts served;
  for (const BackendInfo& info : backends.infos()) {
    served.push_back(Concat(info.name, ": ", Join(info.schemes, " ")));
    for (const std::string& scheme : info.schemes) {
      EXPECT_TRUE(backends.by_scheme().contains(scheme)) << scheme;
    }
  }
  return served;
}

// Why backends cannot be created.
std::string Problem(const RemoteOptions& options) {
  const auto backends = RemoteBackends::Create(options);
  if (backends.ok()) return "none";
  EXPECT_EQ(backends.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(backends.status()));
}

TEST(RemoteBackendsTest, NothingIsServedUnlessItIsAllowed) {
  const auto backends = RemoteBackends::Create({});
  ASSERT_TRUE(backends.ok()) << backends.status();
  EXPECT_EQ(Served(**backends), Texts());
  EXPECT_TRUE((*backends)->by_scheme().empty());
  EXPECT_EQ((*backends)->without_scheme(), nullptr);
  EXPECT_EQ((*backends)->cache(), nullptr);
  EXPECT_EQ((*backends)->http_client(), nullptr);
  EXPECT_TRUE((*backends)->MakeChangeSources().empty());
  (*backends)->SetRelief(nullptr);
  (*backends)->CloseUnused();
}

TEST(RemoteBackendsTest, OnlyTheSchemesOfAllowedUrlsAreServed) {
  const std::pair<const char*, Texts> kCases[] = {
      {"https://cdn.example.com/show/", {"http: http https"}},
      {"http://cdn.example.com/", {"http: http https"}},
      {"s3://bucket/", {"s3: s3"}},
  };
  for (const auto& [url, served] : kCases) {
    const auto backends = RemoteBackends::Create({.allowed_urls = {url}});
    ASSERT_TRUE(backends.ok()) << backends.status();
    EXPECT_EQ(Served(**backends), served);
    EXPECT_EQ((*backends)->by_scheme().size(), served.front() == "s3: s3" ? 1u : 2u);
    EXPECT_NE((*backends)->http_client(), nullptr);
    ASSERT_NE((*backends)->cache(), nullptr);
    EXPECT_TRUE((*backends)->MakeChangeSources().empty());
  }
}

TEST(RemoteBackendsTest, ServicesServeTheirSchemes) {
  const auto backends = RemoteBackends::Create(
      {.allowed_urls = {"s3://bucket/"}, .resolvers = {"asset=127.0.0.1:1", "=127.0.0.1:2"}});
  ASSERT_TRUE(backends.ok()) << backends.status();
  EXPECT_EQ(Served(**backends), (Texts{"s3: s3", "remote: asset", "remote: "}));
  EXPECT_NE((*backends)->without_scheme(), nullptr);
  EXPECT_EQ((*backends)->MakeChangeSources().size(), 1u) << "only paths with a scheme are watched";

  const auto service = RemoteBackends::Create({.resolvers = {"asset=127.0.0.1:1"}});
  ASSERT_TRUE(service.ok()) << service.status();
  EXPECT_EQ((*service)->http_client(), nullptr);
  EXPECT_EQ((*service)->without_scheme(), nullptr);
}

TEST(RemoteBackendsTest, InvalidOptionsAreNamed) {
  EXPECT_EQ(Problem({.resolvers = {"a=127.0.0.1:1", "a=127.0.0.1:2"}}),
            "two backends are given for the scheme 'a'");
  EXPECT_EQ(Problem({.resolvers = {"=127.0.0.1:1", "=127.0.0.1:2"}}),
            "two backends are given for the scheme ''");
  EXPECT_EQ(Problem({.allowed_urls = {"s3://bucket/"}, .resolvers = {"s3=127.0.0.1:1"}}),
            "two backends are given for the scheme 's3'");
  const std::pair<RemoteOptions, const char*> kCases[] = {
      {{.allowed_urls = {"cdn.example.com"}}, "cdn.example.com"},
      {{.allowed_urls = {"https://a/"}, .allowed_networks = {"10.0.0.0/33"}}, "10.0.0.0/33"},
      {{.allowed_urls = {"s3://bucket/"}, .s3_region = "no region"}, "'no region'"},
      {{.resolvers = {"asset=nowhere"}}, "nowhere"},
  };
  for (const auto& [options, part] : kCases) {
    const std::string problem = Problem(options);
    EXPECT_NE(problem.find(part), std::string::npos) << problem;
  }
}

// A resolver service at a socket, and backends that ask it and remember its answers for an hour.
class ServiceBackendsTest : public testing::Test {
 protected:
  ServiceBackendsTest() {
    server_.service().Write("asset://show/a.usd", "one");
    auto backends = RemoteBackends::Create(
        {.revalidate = std::chrono::hours(1), .resolvers = {"asset=" + address_}});
    EXPECT_TRUE(backends.ok()) << backends.status();
    backends_ = *std::move(backends);
  }
  const Resolver& resolver() const { return *backends_->by_scheme().at("asset"); }
  bool Exists() {
    return resolver().Resolve(context_, ResolverContext(), "asset://show/a.usd").ok();
  }

  const TempDir folder_{"/tmp"};  // the path of a socket is short
  const std::string address_ = Concat("unix:", folder_ / "service");
  FakeServer server_{address_};
  std::unique_ptr<const RemoteBackends> backends_;
  RequestContext context_;
};

TEST_F(ServiceBackendsTest, ReportedChangesEndWhatIsRemembered) {
  std::counting_semaphore<> reports{0};
  const auto sources = backends_->MakeChangeSources();
  ASSERT_EQ(sources.size(), 1u);
  sources[0]->Start([&](const AssetChanges&) { reports.release(); });
  const WatchedAsset asset{"asset://show/a.usd", "1"};
  // Refused until the service has begun to report.
  while (!sources[0]->Watch({&asset, 1}).empty()) std::this_thread::yield();

  ASSERT_TRUE(Exists());
  server_.service().Remove("asset://show/a.usd");
  EXPECT_TRUE(Exists()) << "remembered";
  resolver::v1::WatchResponse message;
  message.mutable_changed()->add_resolved_paths(asset.path);
  server_.service().Send(message);
  reports.acquire();
  EXPECT_FALSE(Exists());
}

}  // namespace
}  // namespace stagedoor
