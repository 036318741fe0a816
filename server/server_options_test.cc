#include "server/server_options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "server/machine/machine_memory.h"

namespace stagedoor::server {
namespace {

constexpr uint64_t kGib = uint64_t{1} << 30;

TEST(EffectiveMemoryLimitTest, IsTheGivenLimitOrUsableMemory) {
  ServerOptions options;
  EXPECT_EQ(EffectiveMemoryLimit(options), UsableMemory());
  options.memory_limit = 0;
  EXPECT_EQ(EffectiveMemoryLimit(options), UsableMemory());
  options.memory_limit = 1;
  EXPECT_EQ(EffectiveMemoryLimit(options), 1u);
}

TEST(FitToMemoryLimitTest, DefaultBudgetsAreSharesOfTheLimit) {
  ServerOptions options;
  options.memory_limit = 16 * kGib;
  const ServerOptions both = FitToMemoryLimit(options);
  EXPECT_EQ(both.layer_cache_bytes, 2 * kGib);
  EXPECT_EQ(both.stages.max_bytes, 4 * kGib);
  options.layer_cache_bytes = 123;
  EXPECT_EQ(FitToMemoryLimit(options).layer_cache_bytes, 123u);
  EXPECT_EQ(FitToMemoryLimit(options).stages.max_bytes, 4 * kGib);
  options.stages.max_bytes = 456;
  EXPECT_EQ(FitToMemoryLimit(options).stages.max_bytes, 456u);
}

TEST(SchemaPathsFromEnvironmentTest, AreSeparatedByColons) {
  using Paths = std::vector<std::string>;
  const struct {
    const char* value;
    Paths expected;
  } kCases[] = {{"", {}},
                {"/a", {"/a"}},
                {"/a:/b", {"/a", "/b"}},
                {":/a::/b:", {"/a", "/b"}},
                {":", {}},
                {"a:b:c", {"a", "b", "c"}}};
  ::unsetenv("STAGEDOOR_SCHEMA_PATH");
  EXPECT_EQ(SchemaPathsFromEnvironment(), Paths{});
  for (const auto& c : kCases) {
    ::setenv("STAGEDOOR_SCHEMA_PATH", c.value, 1);
    EXPECT_EQ(SchemaPathsFromEnvironment(), c.expected) << c.value;
  }
  ::unsetenv("STAGEDOOR_SCHEMA_PATH");
}

TEST(ServerLimitsTest, AnItemMayBeTwiceAReplyWithinGrpcsMaximum) {
  ServerLimits limits;
  EXPECT_EQ(limits.max_item_bytes(), size_t{512} << 20);
  limits.max_reply_bytes = 1000;
  EXPECT_EQ(limits.max_item_bytes(), 2000u);
  limits.max_reply_bytes = size_t{1000} << 20;
  EXPECT_EQ(limits.max_item_bytes(), size_t{2000} << 20);
  limits.max_reply_bytes = (size_t{1000} << 20) + 1;
  EXPECT_EQ(limits.max_item_bytes(), size_t{2000} << 20);
  limits.max_reply_bytes = ~size_t{0};
  EXPECT_EQ(limits.max_item_bytes(), size_t{2000} << 20);
}

// The options of a server that may listen on any address.
ServerOptions SecureOptions() {
  ServerOptions options;
  options.addresses = {"127.0.0.1:0", "0.0.0.0:50051"};
  options.tls = {.certificate_file = "/c.pem", .key_file = "/k.pem"};
  options.access.roles.emplace_back();
  options.allowed_roots = {"/show"};
  return options;
}

TEST(CheckListeningTest, AddressesOfThisMachineNeedNothing) {
  ServerOptions options;
  options.addresses = {"127.0.0.1:0", "unix:/run/s", "[::1]:0", "localhost:0"};
  EXPECT_TRUE(CheckListening(options).ok());
  EXPECT_TRUE(TrustsAllCallers(options));
  EXPECT_TRUE(OffersReflection(options));
}

TEST(CheckListeningTest, OtherAddressesNeedTlsRolesAndRoots) {
  EXPECT_TRUE(CheckListening(SecureOptions()).ok());
  const auto error_without = [](const std::function<void(ServerOptions&)>& remove) {
    ServerOptions options = SecureOptions();
    remove(options);
    const absl::Status status = CheckListening(options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    options.insecure = true;
    EXPECT_TRUE(CheckListening(options).ok());
    return std::string(status.message());
  };
  EXPECT_NE(error_without([](ServerOptions& o) { o.tls = {}; }).find("--tls-certificate"),
            std::string::npos);
  EXPECT_NE(error_without([](ServerOptions& o) { o.access.roles.clear(); }).find("'access'"),
            std::string::npos);
  EXPECT_NE(error_without([](ServerOptions& o) { o.allowed_roots.clear(); }).find("--allow-root"),
            std::string::npos);
}

TEST(CheckListeningTest, FramesOverHttpAreForThisMachine) {
  ServerOptions options;
  options.addresses = {"unix:/run/s"};
  options.http_frames = true;
  const auto message = [&] { return std::string(CheckListening(options).message()); };
  EXPECT_EQ(message(), "--http-frames needs --metrics-address, where frames are served over HTTP");
  options.metrics_address = "127.0.0.1:9464";
  EXPECT_TRUE(CheckListening(options).ok());
  EXPECT_TRUE(TrustsAllCallers(options));
  options.metrics_address = "[::]:9464";
  EXPECT_NE(message().find("--metrics-address '[::]:9464', and --http-frames serves without"),
            std::string::npos)
      << message();
  EXPECT_FALSE(TrustsAllCallers(options)) << "others can ask for frames";
  options.insecure = true;
  EXPECT_TRUE(CheckListening(options).ok());
  EXPECT_FALSE(TrustsAllCallers(options));
  options.http_frames = false;
  EXPECT_TRUE(TrustsAllCallers(options));
}

TEST(CheckListeningTest, TlsFilesComeTogether) {
  ServerOptions options;
  options.tls.key_file = "/k.pem";
  EXPECT_FALSE(CheckListening(options).ok());
  options.tls = {.client_ca_file = "/ca.pem"};
  EXPECT_FALSE(CheckListening(options).ok());
  options.tls = {.certificate_file = "/c.pem", .key_file = "/k.pem", .client_ca_file = "/ca.pem"};
  EXPECT_TRUE(CheckListening(options).ok());
}

TEST(CheckListeningTest, OnlyServersOfThisMachineTrustAllCallers) {
  ServerOptions options = SecureOptions();
  EXPECT_FALSE(TrustsAllCallers(options));
  EXPECT_FALSE(OffersReflection(options));
  options.reflection = true;
  EXPECT_TRUE(OffersReflection(options));
  options.access.roles.clear();
  EXPECT_FALSE(TrustsAllCallers(options)) << "others can connect";
  options.addresses = {"127.0.0.1:0"};
  EXPECT_TRUE(TrustsAllCallers(options));
  options.access.roles.emplace_back();
  EXPECT_FALSE(TrustsAllCallers(options)) << "there are roles";
}

}  // namespace
}  // namespace stagedoor::server
