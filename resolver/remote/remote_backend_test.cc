#include "resolver/remote/remote_backend.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

TEST(RemoteBackendTest, TheFlagHasASchemeAndAnAddress) {
  const auto options = ParseResolverFlag("asset=unix:/run/a=b.sock");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->scheme, "asset");
  EXPECT_EQ(options->address, "unix:/run/a=b.sock");
  EXPECT_EQ(ParseResolverFlag("=host:50061")->scheme, "");
  EXPECT_EQ(ParseResolverFlag("my-db+2.x=[::1]:50061")->address, "[::1]:50061");
  for (const char* bad :
       {"", "asset", "asset=", "asset=host", "asset=:1", "asset=host:0", "asset=host:99999",
        "asset=unix:", "Asset=host:1", "a b=host:1", "asset://=host:1", "1a=host:1"}) {
    const auto refused = ParseResolverFlag(bad);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_NE(Message(refused.status()).find("must be"), std::string_view::npos) << bad;
  }
}

TEST(RemoteBackendTest, ReadsThroughASocket) {
  const TempDir folder("/tmp");
  const std::string address = "unix:" + folder / "service.sock";
  FakeServer server(address);
  server.service().Write("asset://show/a.usd", "content");
  const auto backend = ConnectToResolverService({.address = address, .scheme = "asset"});
  ASSERT_TRUE(backend.ok()) << backend.status();
  RequestContext context;
  const auto identifier =
      backend->identifiers->CreateIdentifier(context, "./a.usd", "asset://show/root.usd");
  ASSERT_TRUE(identifier.ok()) << identifier.status();
  const auto path = backend->identifiers->Resolve(context, *identifier);
  ASSERT_TRUE(path.ok()) << path.status();
  const auto opened = backend->store->Open(context, *path, nullptr, 100);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "content");
  const auto watch = backend->Watch([](const auto&) {});
  server.service().WaitForWatchers(1);
  EXPECT_EQ(server.service().watched().prefixes(0), "asset://");
}

TEST(RemoteBackendTest, WithoutASchemeNothingIsWatched) {
  const auto backend = ConnectToResolverService({.address = "unix:/nowhere"});
  ASSERT_TRUE(backend.ok()) << backend.status();
  EXPECT_EQ(backend->Watch([](const auto&) {}), nullptr);
}

TEST(RemoteBackendTest, AServiceThatIsNotThereIsUnavailable) {
  const auto backend = ConnectToResolverService(
      {.address = "unix:/nowhere/x.sock", .scheme = "asset", .max_attempts = 2});
  ASSERT_TRUE(backend.ok()) << backend.status();
  RequestContext context;
  const absl::Status status = backend->store->Open(context, "asset://a", nullptr, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(Message(status).find("resolver service 'unix:/nowhere/x.sock' is not available"),
            std::string_view::npos)
      << status;
}

}  // namespace
}  // namespace stagedoor
