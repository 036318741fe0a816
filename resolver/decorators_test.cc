#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/caching_resolver.h"
#include "resolver/context_resolver.h"
#include "resolver/dispatching_resolver.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/testing/faulty_resolver.h"
#include "resolver/testing/forwarding_resolver.h"
#include "resolver/testing/memory_backend.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

// Counts look-ups, and makes them fail on demand.
class CountingResolver final : public ForwardingResolver {
 public:
  using ForwardingResolver::ForwardingResolver;

  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view path, std::string_view anchor) const override {
    return CreateDefaultIdentifier(*this, context, resolver_context, path, anchor);
  }
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      std::string_view identifier) const override {
    ++lookups;
    if (!failure.ok() && identifier.starts_with(failing_below)) return failure;
    return ForwardingResolver::Resolve(context, resolver_context, identifier);
  }
  std::vector<absl::StatusOr<AssetVersion>> GetVersions(
      RequestContext& context, const ResolverContext& resolver_context,
      std::span<const std::string> paths) const override {
    ++bulk_calls;
    return ForwardingResolver::GetVersions(context, resolver_context, paths);
  }

  mutable int lookups = 0;
  mutable int bulk_calls = 0;
  absl::Status failure;
  std::string failing_below;  // prefix of the identifiers that fail; all of them by default
};

class CachingResolverTest : public testing::Test {
 protected:
  CachingResolverTest() {
    options_.found_ttl = std::chrono::seconds(30);
    options_.missing_ttl = std::chrono::seconds(2);
    options_.now = [this] { return now_; };
    options_.max_entries = 100;
    cache_ = std::make_unique<CachingResolver>(counting_, options_);
  }

  RequestContext context_;
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<CountingResolver> counting_ = std::make_shared<CountingResolver>(memory_);
  CachingResolverOptions::Clock::time_point now_ = CachingResolverOptions::Clock::now();
  CachingResolverOptions options_;
  std::unique_ptr<CachingResolver> cache_;
};

TEST_F(CachingResolverTest, LooksUpOnceUntilExpiry) {
  ASSERT_TRUE(memory_->Put("/a", "x").ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cache_->Resolve(context_, {}, "/a").value(), "/a");
  EXPECT_EQ(counting_->lookups, 1);
  now_ += std::chrono::seconds(31);
  EXPECT_TRUE(cache_->Resolve(context_, {}, "/a").ok());
  EXPECT_EQ(counting_->lookups, 2);
}

TEST_F(CachingResolverTest, RemembersMissingAssetsForAShorterTime) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cache_->Resolve(context_, {}, "/a").status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(cache_->CreateIdentifier(context_, {}, "a", "/root"), "a");
  }
  EXPECT_EQ(counting_->lookups, 2);
  ASSERT_TRUE(memory_->Put("/a", "x").ok());
  now_ += std::chrono::seconds(3);
  EXPECT_TRUE(cache_->Resolve(context_, {}, "/a").ok());
  EXPECT_EQ(cache_->CreateIdentifier(context_, {}, "a", "/root"), "/a");
}

TEST_F(CachingResolverTest, InvalidateForgets) {
  EXPECT_FALSE(cache_->Resolve(context_, {}, "/a").ok());
  ASSERT_TRUE(memory_->Put("/a", "x").ok());
  cache_->Invalidate();
  EXPECT_TRUE(cache_->Resolve(context_, {}, "/a").ok());
}

TEST_F(CachingResolverTest, DoesNotRememberTransientFailures) {
  ASSERT_TRUE(memory_->Put("/a", "x").ok());
  counting_->failure = UnavailableError("down");
  EXPECT_EQ(cache_->Resolve(context_, {}, "/a").status().code(), absl::StatusCode::kUnavailable);
  counting_->failure = absl::OkStatus();
  EXPECT_TRUE(cache_->Resolve(context_, {}, "/a").ok());
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(cache_->CreateIdentifier(cancelled, {}, "a", "/root"), "a");
  EXPECT_EQ(cache_->CreateIdentifier(context_, {}, "a", "/root"), "/a");
}

TEST_F(CachingResolverTest, IsBounded) {
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(cache_->Resolve(context_, {}, Concat("/", i)).ok());
  EXPECT_LE(cache_->Stats().entries, 100u);
}

TEST(ContextResolverTest, SearchesBesideTheLayerThenInOrder) {
  RequestContext context;
  auto memory = std::make_shared<MemoryResolver>();
  for (const char* name : {"/shot/here.usd", "/s1/lib/x.usd", "/s2/lib/x.usd", "/s2/here.usd"}) {
    ASSERT_TRUE(memory->Put(name, name).ok());
  }
  const ContextResolver resolver(memory, {"/s0", "/s1", "/s2/"});
  const auto resolve = [&](std::string_view path) {
    return resolver.Resolve(context, {},
                            resolver.CreateIdentifier(context, {}, path, "/shot/root.usd"));
  };
  EXPECT_EQ(resolve("here.usd").value(), "/shot/here.usd");
  EXPECT_EQ(resolve("lib/../lib/x.usd").value(), "/s1/lib/x.usd");
  EXPECT_FALSE(resolve("./lib/x.usd").ok());
  EXPECT_EQ(resolve("nope.usd").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(resolver.Resolve(context, {}, "../s1/lib/x.usd").ok());
}

TEST(ContextResolverTest, AFailedLookUpIsNotReportedAsAMissingAsset) {
  RequestContext context;
  auto memory = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(memory->Put("/s2/x.usd", "x").ok());
  auto counting = std::make_shared<CountingResolver>(memory);
  counting->failure = UnavailableError("down");
  counting->failing_below = "/s1/";
  const ContextResolver resolver(counting, {"/s1", "/s2"});
  EXPECT_EQ(resolver.Resolve(context, {}, "x.usd").value(), "/s2/x.usd");
  EXPECT_EQ(resolver.Resolve(context, {}, "y.usd").status().code(), absl::StatusCode::kUnavailable);
}

TEST(DispatchingResolverTest, ChoosesByScheme) {
  RequestContext context;
  auto files = std::make_shared<MemoryResolver>();
  auto bucket = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(files->Put("/a.usd", "file").ok());
  ASSERT_TRUE(bucket->Put("s3://b/dir/a.usd", "object").ok());
  const DispatchingResolver resolver(files, {{"s3", bucket}},
                                     /*remote_layers_may_name_files=*/true);
  EXPECT_EQ(resolver.OpenAsset(context, {}, "/a.usd").value()->size(), 4u);
  EXPECT_EQ(resolver.OpenAsset(context, {}, "s3://b/dir/a.usd").value()->size(), 6u);
  EXPECT_EQ(resolver.CreateIdentifier(context, {}, "./x.usd", "s3://b/dir/a.usd"),
            "s3://b/dir/x.usd");
  EXPECT_EQ(resolver.CreateIdentifier(context, {}, "a.usd", "s3://b/dir/z.usd"),
            "s3://b/dir/a.usd");
  EXPECT_EQ(resolver.CreateIdentifier(context, {}, "s3://b/x.usd", "/a.usd"), "s3://b/x.usd");
  EXPECT_EQ(resolver.CreateIdentifier(context, {}, "/x.usd", "s3://b/a.usd"), "/x.usd");
  EXPECT_EQ(resolver.Resolve(context, {}, "ftp://h/a.usd").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(DispatchingResolverTest, RemoteLayersMayNotNameFilesUnlessAllowed) {
  RequestContext context;
  auto files = std::make_shared<MemoryResolver>();
  auto web = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(files->Put("/etc/passwd", "secret").ok());
  ASSERT_TRUE(web->Put("http://h/etc/b.usd", "b").ok());
  for (const bool allowed : {false, true}) {
    const DispatchingResolver resolver(files, {{"http", web}}, allowed);
    const auto open = [&](std::string_view path, std::string_view anchor) {
      return resolver.OpenAsset(context, {}, resolver.CreateIdentifier(context, {}, path, anchor))
          .status();
    };
    const absl::Status foreign = open("/etc/passwd", "http://h/a.usd");
    EXPECT_EQ(foreign.code(),
              allowed ? absl::StatusCode::kOk : absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(foreign.message().find("/etc/passwd") == std::string_view::npos, allowed);
    EXPECT_FALSE(open("../../../etc/passwd", "http://h/a.usd").ok()) << "stays on its host";
    EXPECT_TRUE(open("./etc/b.usd", "http://h/a.usd").ok());
    EXPECT_TRUE(open("/etc/passwd", "/local/a.usd").ok());
    EXPECT_TRUE(open("http://h/etc/b.usd", "/local/a.usd").ok());
    EXPECT_EQ(resolver.CreateIdentifier(context, {}, "lib/a.usd", "http://h/a.usd"), "lib/a.usd")
        << "search paths are those of the operator and the client";
  }
}

TEST(DispatchingResolverTest, SchemesIgnoreCase) {
  RequestContext context;
  auto letters = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(letters->Put("AZaz://x", "1").ok());
  const DispatchingResolver resolver(std::make_shared<MemoryResolver>(), {{"azaz", letters}});
  EXPECT_TRUE(resolver.OpenAsset(context, {}, "AZaz://x").ok());
}

// Checks that GetVersions returns the same for `paths` as calling GetVersion for each of them.
void ExpectSameVersions(const Resolver& resolver, const ResolverContext& resolver_context,
                        const std::vector<std::string>& paths) {
  RequestContext context;
  const auto versions = resolver.GetVersions(context, resolver_context, paths);
  ASSERT_EQ(versions.size(), paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto single = resolver.GetVersion(context, resolver_context, paths[i]);
    EXPECT_EQ(versions[i].status().code(), single.status().code()) << paths[i];
    if (versions[i].ok() && single.ok()) {
      EXPECT_EQ(*versions[i], *single) << paths[i];
    }
  }
}

TEST(BulkVersionsTest, EachBackendIsAskedOnceAndTheOrderIsKept) {
  auto files = std::make_shared<MemoryResolver>();
  auto bucket = std::make_shared<MemoryResolver>();
  for (const char* name : {"/a.usd", "/b.usd"}) ASSERT_TRUE(files->Put(name, name).ok());
  for (const char* name : {"s3://b/a.usd", "s3://b/c.usd"}) ASSERT_TRUE(bucket->Put(name, "").ok());
  auto count_files = std::make_shared<CountingResolver>(files);
  auto count_bucket = std::make_shared<CountingResolver>(bucket);
  const DispatchingResolver resolver(count_files, {{"s3", count_bucket}});
  const std::vector<std::string> paths = {"s3://b/a.usd", "/b.usd",       "ftp://h/a.usd",
                                          "/a.usd",       "s3://b/c.usd", "/missing.usd"};
  ExpectSameVersions(resolver, {}, paths);
  EXPECT_EQ(count_files->bulk_calls, 1);
  EXPECT_EQ(count_bucket->bulk_calls, 1);
}

TEST(BulkVersionsTest, LayersOfTheContextAreNotAskedFor) {
  auto memory = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(memory->Put("/a.usd", "stored").ok());
  auto counting = std::make_shared<CountingResolver>(memory);
  const ContextResolver resolver(counting);
  const auto sent = ResolverContext::Create({.layers = {{"/sent.usda", "#usda 1.0"}}});
  ExpectSameVersions(resolver, sent, {"/a.usd", "/sent.usda", "/missing.usd"});
  EXPECT_EQ(counting->bulk_calls, 1);
  ExpectSameVersions(resolver, {}, {"/sent.usda", "/a.usd"});
  EXPECT_EQ(counting->bulk_calls, 2);
}

TEST(BulkVersionsTest, OtherDecoratorsPassTheCallOn) {
  auto memory = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(memory->Put("/a.usd", "a").ok());
  auto counting = std::make_shared<CountingResolver>(memory);
  const auto faults = std::make_shared<Faults>();
  ExpectSameVersions(CachingResolver(counting, {}), {}, {"/a.usd", "/missing.usd"});
  EXPECT_EQ(counting->bulk_calls, 1);
  ExpectSameVersions(FaultyResolver(counting, faults), {}, {"/a.usd", "/missing.usd"});
  EXPECT_EQ(counting->bulk_calls, 2);
  EXPECT_EQ(faults->version_calls, 1);
}

TEST(FaultInjectionTest, ReadAllCopesWithShortReadsAndReportsFailures) {
  RequestContext context;
  auto memory = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(memory->Put("/a", "0123456789").ok());
  auto faults = std::make_shared<Faults>();
  const FaultyResolver resolver(memory, faults);
  faults->hide_buffer = true;
  faults->longest_read = 3;
  const auto asset = resolver.OpenAsset(context, {}, "/a").value();
  EXPECT_EQ(ReadAll(context, *asset, 100).value().text(), "0123456789");
  EXPECT_EQ(faults->reads, 4);
  faults->good_reads = 2;
  EXPECT_EQ(ReadAll(context, *asset, 100).status().code(), absl::StatusCode::kUnavailable);
  faults->damaged = true;
  EXPECT_EQ(ReadAll(context, *asset, 100).status().code(), absl::StatusCode::kDataLoss);
  faults->good_opens = 0;
  EXPECT_EQ(resolver.OpenAsset(context, {}, "/a").status().code(), absl::StatusCode::kUnavailable);
}

// Assets without a mapping, which are read in small pieces.
class ReadOnlyBackend : public MemoryBackend {
 public:
  ReadOnlyBackend() : MemoryBackend("/") {
    auto faults = std::make_shared<Faults>();
    faults->hide_buffer = true;
    faults->longest_read = 777;
    outer_ = std::make_shared<FaultyResolver>(memory_, faults);
  }
};

class DecoratedBackend : public MemoryBackend {
 public:
  DecoratedBackend() : MemoryBackend("/job/") {
    CachingResolverOptions options;
    options.found_ttl = options.missing_ttl = std::chrono::seconds(0);
    auto caching = std::make_shared<CachingResolver>(
        std::make_shared<DispatchingResolver>(memory_, DispatchingResolver::Backends{}), options);
    outer_ = std::make_shared<ContextResolver>(caching, std::vector<std::string>{"/nowhere"});
  }
};

INSTANTIATE_TEST_SUITE_P(ReadOnly, ResolverConformance,
                         testing::Values([] { return std::make_unique<ReadOnlyBackend>(); }));
INSTANTIATE_TEST_SUITE_P(Decorated, ResolverConformance,
                         testing::Values([] { return std::make_unique<DecoratedBackend>(); }));

}  // namespace
}  // namespace stagedoor
