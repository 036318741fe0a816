#include "resolver/store/store_resolver.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/fail_if_outage.h"
#include "resolver/store/testing/fake_store.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class StoreBackend final : public ResolverBackend {
 public:
  StoreBackend(bool on_disk, bool keeps_versions)
      : cache_(*BlockCache::Create({.directory = on_disk ? dir_.path() : ""})) {
    store_->keeps_versions = keeps_versions;
  }
  const Resolver& resolver() const override { return resolver_; }
  std::string Path(std::string_view name) const override { return Concat("fake://host/", name); }
  void Write(std::string_view name, std::string_view content) override {
    store_->Put(Path(name), std::string(content));
  }
  void Remove(std::string_view name) override { store_->Remove(Path(name)); }
  bool KeepsOldContent() const override { return store_->keeps_versions; }

 private:
  const TempDir dir_;
  const std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  const std::unique_ptr<BlockCache> cache_;
  const StoreResolver resolver_{store_, *cache_, {.revalidate = milliseconds(0)}};
};

template <bool on_disk, bool keeps_versions>
std::unique_ptr<ResolverBackend> Make() {
  return std::make_unique<StoreBackend>(on_disk, keeps_versions);
}

INSTANTIATE_TEST_SUITE_P(StoreInMemory, ResolverConformance, testing::Values(&Make<false, true>));
INSTANTIATE_TEST_SUITE_P(StoreOnDisk, ResolverConformance, testing::Values(&Make<true, true>));
INSTANTIATE_TEST_SUITE_P(StoreWithoutVersions, ResolverConformance,
                         testing::Values(&Make<true, false>));

class StoreResolverTest : public testing::Test {
 protected:
  using Clock = ObjectCatalog::Clock;
  using WallClock = ObjectCatalog::WallClock;

  // A resolver whose cache is in the directory of the test.
  std::unique_ptr<StoreResolver> NewResolver(seconds stale = seconds(0)) {
    caches_.push_back(*BlockCache::Create({.directory = dir_.path()}));
    return std::make_unique<StoreResolver>(
        store_, *caches_.back(),
        StoreResolverOptions{
            .revalidate = milliseconds(1000),
            .stale_if_error = stale,
            .catalog = {.now = [this] { return now_; }, .wall_now = [this] { return wall_now_; }},
            .random = [] { return 0.0; }});
  }
  std::string Read(const Resolver& resolver, const std::string& path) {
    const auto asset = resolver.OpenAsset(context_, {}, path);
    if (!asset.ok()) return asset.status().ToString();
    const auto all = ReadAll(context_, **asset, UINT64_MAX);
    return all.ok() ? std::string(all->text()) : all.status().ToString();
  }

  const TempDir dir_;
  const std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  std::vector<std::unique_ptr<BlockCache>> caches_;
  Clock::time_point now_{};
  WallClock::time_point wall_now_{std::chrono::hours(500000)};
  RequestContext context_;
};

TEST_F(StoreResolverTest, TrustsAVersionForAWhile) {
  store_->Put("fake://h/a", "one");
  const auto resolver = NewResolver();
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
  EXPECT_EQ(store_->opens, 1);
  store_->Put("fake://h/a", "two");
  now_ += milliseconds(999);
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
  EXPECT_EQ(store_->opens, 1);
  now_ += milliseconds(1);
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "two");
  EXPECT_EQ(store_->opens, 2);
}

TEST_F(StoreResolverTest, RemembersForAWhileThatAnObjectIsMissing) {
  const auto resolver = NewResolver();
  EXPECT_EQ(resolver->Resolve(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kNotFound);
  store_->Put("fake://h/a", "one");
  EXPECT_EQ(resolver->Resolve(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->opens, 1);
  now_ += milliseconds(1000);
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
}

// The answer to a request in flight is older than the change.
TEST_F(StoreResolverTest, AnExpiryReachesRequestsUnderWay) {
  const std::string path = "fake://h/a";
  using Expire = std::function<void(const StoreResolver&)>;
  const Expire kWays[] = {[&](const auto& resolver) {
                            resolver.Expire({&path, 1});
                          },
                          [](const auto& resolver) { resolver.ExpireAll(); }};
  for (const Expire& expire : kWays) {
    for (const std::string before : {"one", ""}) {
      before.empty() ? store_->Remove(path) : store_->Put(path, before);
      const auto resolver = NewResolver();
      store_->on_open = [&] {
        store_->on_open = nullptr;
        store_->Put(path, "two");
        expire(*resolver);
        EXPECT_EQ(Read(*resolver, path), "two") << "does not wait for the answer";
      };
      resolver->Resolve(context_, {}, path).IgnoreError();
      EXPECT_EQ(Read(*resolver, path), "two") << "the earlier answer came later";
    }
  }
}

TEST_F(StoreResolverTest, SmallObjectsCostOneRequest) {
  store_->Put("fake://h/a", std::string(60000, 'x'));
  const auto resolver = NewResolver();
  EXPECT_TRUE(resolver->Resolve(context_, {}, "fake://h/a").ok());
  EXPECT_EQ(Read(*resolver, "fake://h/a"), std::string(60000, 'x'));
  EXPECT_EQ(store_->opens, 1);
  EXPECT_EQ(store_->fetches, 0);
}

// Two contents of one size, whose version would be the same by time and size.
class SampledObjectTest : public StoreResolverTest {
 protected:
  static constexpr const char* kPath = "fake://h/a";
  SampledObjectTest() { store_->by_time = true; }
  static std::string Content(size_t size, size_t changed = SIZE_MAX) {
    std::string content(size, 'x');
    if (changed < size) content[changed] = 'y';
    return content;
  }
  std::string Version(const Resolver& resolver) {
    return resolver.GetVersion(context_, {}, kPath)->token();
  }
};

TEST_F(SampledObjectTest, ANewProcessDoesNotServeWhatWasReplaced) {
  for (const size_t size : {10, 70000, 300000, 1000000}) {
    store_->Put(kPath, Content(size));
    const auto first = NewResolver();
    EXPECT_EQ(Read(*first, kPath), Content(size));
    const std::string version = Version(*first);
    store_->Put(kPath, Content(size, size - 1));
    const auto second = NewResolver();
    EXPECT_EQ(Read(*second, kPath), Content(size, size - 1)) << size;
    EXPECT_NE(Version(*second), version) << size;
  }
}

TEST_F(SampledObjectTest, ANewProcessUsesWhatIsTheSame) {
  store_->Put(kPath, Content(1000000));
  Read(*NewResolver(), kPath);
  store_->bytes = 0;
  EXPECT_EQ(Read(*NewResolver(), kPath), Content(1000000));
  EXPECT_EQ(store_->bytes, 65536u) << "only the sample";
}

TEST_F(SampledObjectTest, SamplesAreReadAgainAfterAWhileAndOnRequest) {
  store_->Put(kPath, Content(1000000));
  const auto resolver = NewResolver();
  Read(*resolver, kPath);
  store_->fetches = 0;
  store_->Put(kPath, Content(1000000, 999999));
  now_ += seconds(59);
  EXPECT_EQ(Read(*resolver, kPath), Content(1000000));
  EXPECT_EQ(store_->fetches, 0);
  now_ += seconds(1);
  EXPECT_EQ(Read(*resolver, kPath), Content(1000000, 999999));
  store_->Put(kPath, Content(1000000));
  resolver->ExpireAll();
  EXPECT_EQ(Read(*resolver, kPath), Content(1000000)) << "its blocks are those of the first";
  const std::string path = kPath;
  store_->Put(kPath, Content(1000000, 999998));
  resolver->Expire({&path, 1});
  EXPECT_EQ(Read(*resolver, kPath), Content(1000000, 999998));
}

TEST_F(SampledObjectTest, ListsOfVersionsSampleSomeObjectsAtATime) {
  std::vector<std::string> paths;
  for (int i = 0; i < 70; ++i) {
    paths.push_back(Concat("fake://h/", i));
    store_->Put(paths.back(), Content(1000000));
  }
  const auto resolver = NewResolver();
  for (const std::string& path : paths) ASSERT_TRUE(resolver->Resolve(context_, {}, path).ok());
  const auto before = resolver->GetVersions(context_, {}, paths);
  for (const std::string& path : paths) store_->Put(path, Content(1000000, 999999));
  const auto changed = [&] {
    const auto after = resolver->GetVersions(context_, {}, paths);
    int count = 0;
    for (size_t i = 0; i < paths.size(); ++i) count += *after[i] == *before[i] ? 0 : 1;
    return count;
  };
  store_->on_fetch = [this] { now_ += milliseconds(1); };
  now_ += seconds(60);
  EXPECT_EQ(changed(), 64);
  now_ += seconds(2);
  EXPECT_EQ(changed(), 70);
}

TEST_F(SampledObjectTest, AllContentIsReadIfAskedFor) {
  const size_t size = 9 << 20;
  for (const bool whole : {false, true}) {
    BlockCacheOptions options;
    const auto cache = *BlockCache::Create(options);
    const StoreResolver resolver(store_, *cache, {.verify_content = whole});
    store_->Put(kPath, Content(size));
    const std::string version = Version(resolver);
    store_->Put(kPath, Content(size, 100));
    resolver.ExpireAll();
    EXPECT_EQ(Version(resolver) != version, whole);
  }
}

TEST_F(StoreResolverTest, ANewProcessFetchesNothingAgain) {
  const std::string content(500000, 'x');
  store_->Put("fake://h/a", content);
  EXPECT_EQ(Read(*NewResolver(), "fake://h/a"), content);
  store_->bytes = 0;
  EXPECT_EQ(Read(*NewResolver(), "fake://h/a"), content);
  EXPECT_EQ(store_->bytes, 0u);
  EXPECT_EQ(store_->opens, 2) << "it asks whether the version is still current";
}

TEST_F(StoreResolverTest, ChecksManyVersionsWithOneRequest) {
  std::vector<std::string> paths;
  for (int i = 0; i < 50; ++i) {
    paths.push_back(Concat("fake://h/", i));
    store_->Put(paths.back(), "one");
  }
  const auto resolver = NewResolver();
  const auto before = resolver->GetVersions(context_, {}, paths);
  EXPECT_EQ(store_->infos, 50);
  EXPECT_EQ(resolver->GetVersions(context_, {}, paths), before);
  EXPECT_EQ(store_->infos, 50) << "the versions are fresh";
  now_ += milliseconds(1000);
  store_->Put(paths[7], "two");
  const auto after = resolver->GetVersions(context_, {}, paths);
  EXPECT_EQ(store_->infos, 100);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(*after[i] == *before[i], i != 7);
  EXPECT_EQ(store_->opens, 0);
}

TEST_F(StoreResolverTest, AReplacedObjectIsOpenedAtItsNewVersion) {
  store_->keeps_versions = false;
  store_->Put("fake://h/a", std::string(100000, 'x'));
  const auto resolver = NewResolver();
  const auto asset = *resolver->OpenAsset(context_, {}, "fake://h/a");
  store_->Put("fake://h/a", std::string(100000, 'y'));
  EXPECT_EQ(ReadAll(context_, *asset, UINT64_MAX).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(context_.failed());
  EXPECT_EQ(Read(*resolver, "fake://h/a"), std::string(100000, 'y'))
      << "though its version was trusted for longer";
}

// Servers with equal bytes and other ETags, of which each request reaches another one.
TEST_F(StoreResolverTest, WhatServersDisagreeAboutIsRequestedAgain) {
  const std::string content(100000, 'x');
  for (const int refusals : {1, 5, 6}) {
    SCOPED_TRACE(refusals);
    const std::string path = Concat("fake://h/", refusals);
    store_->Put(path, content);
    const auto resolver = NewResolver();
    const auto asset = *resolver->OpenAsset(context_, {}, path);
    store_->refusals = refusals;
    store_->fetches = 0;
    const auto read = ReadAll(context_, *asset, UINT64_MAX);
    EXPECT_EQ(store_->fetches, std::min(refusals + 1, 6));
    EXPECT_EQ(read.ok(), refusals < 6) << read.status();
    if (read.ok()) {
      EXPECT_EQ(read->text(), content);
    } else {
      EXPECT_TRUE(IsReplaced(read.status())) << read.status();
    }
    EXPECT_FALSE(context_.failed()) << "the layer may be opened again";
  }
}

TEST_F(StoreResolverTest, WithoutPermissionAnOutageIsAnError) {
  store_->Put("fake://h/a", "one");
  const auto resolver = NewResolver();
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
  now_ += seconds(2);
  store_->unavailable = true;
  EXPECT_EQ(resolver->GetVersion(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_FALSE(context_.failed());
  EXPECT_EQ(resolver->OpenAsset(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(context_.failed()) << "nothing composed without it may be kept";
  RequestContext other;
  EXPECT_FALSE(resolver->Resolve(other, {}, "fake://h/b").ok());
  EXPECT_TRUE(other.failed());
}

TEST_F(StoreResolverTest, AWrongConfigurationFailsTheRequestAndIsNotAnOutage) {
  store_->Put("fake://h/a", "one");
  const auto resolver = NewResolver(seconds(0));
  store_->misconfigured = true;
  EXPECT_EQ(resolver->OpenAsset(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(context_.failed()) << "a scene without the asset would be wrong";
  EXPECT_EQ(context_.Check().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StoreResolverTest, UsesWhatItKnowsDuringAnOutageAndSaysSo) {
  store_->Put("fake://h/a", "one");
  const auto resolver = NewResolver(seconds(60));
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
  store_->unavailable = true;
  now_ += seconds(2);
  wall_now_ += seconds(60);
  EXPECT_TRUE(context_.warnings().empty());
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
  ASSERT_EQ(context_.warnings().size(), 1u);
  EXPECT_EQ(context_.warnings()[0].kind, Warning::Kind::kStaleAsset);
  EXPECT_EQ(context_.warnings()[0].asset, "fake://h/a");
  EXPECT_EQ(store_->opens, 2);

  RequestContext other;
  EXPECT_TRUE(resolver->OpenAsset(other, {}, "fake://h/a").ok());
  EXPECT_EQ(store_->opens, 2) << "the outage is not found again for each request";
  EXPECT_EQ(other.warnings().size(), 1u) << "but each of them is told";

  now_ += seconds(2);
  wall_now_ += seconds(1);
  EXPECT_EQ(resolver->OpenAsset(other, {}, "fake://h/a").status().code(),
            absl::StatusCode::kUnavailable)
      << "older than permitted";
  store_->unavailable = false;
  RequestContext after;
  EXPECT_TRUE(resolver->OpenAsset(after, {}, "fake://h/a").ok());
  EXPECT_TRUE(after.warnings().empty());
}

TEST_F(StoreResolverTest, ANewProcessCanStartDuringAnOutage) {
  const std::string content(100000, 'x');
  store_->Put("fake://h/a", content);
  EXPECT_EQ(Read(*NewResolver(), "fake://h/a"), content);
  store_->unavailable = true;
  wall_now_ += seconds(59);
  EXPECT_EQ(Read(*NewResolver(seconds(60)), "fake://h/a"), content);
  EXPECT_EQ(context_.warnings().size(), 1u);
}

TEST_F(StoreResolverTest, AnObjectThatVanishedIsNotStale) {
  store_->Put("fake://h/a", "one");
  const auto resolver = NewResolver(seconds(60));
  EXPECT_EQ(Read(*resolver, "fake://h/a"), "one");
  store_->Remove("fake://h/a");
  now_ += seconds(2);
  EXPECT_EQ(resolver->Resolve(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kNotFound);
  store_->unavailable = true;
  now_ += seconds(2);
  EXPECT_EQ(resolver->Resolve(context_, {}, "fake://h/a").status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace stagedoor
