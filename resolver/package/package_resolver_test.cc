#include "resolver/package/package_resolver.h"

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/asset_path.h"
#include "resolver/context_resolver.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/testing/package_test_util.h"
#include "resolver/testing/faulty_resolver.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

// The package and the expected results were recorded with OpenUSD 26.11.
class PackageResolverTest : public testing::Test {
 protected:
  PackageResolverTest() {
    const std::string inner = MakePackage({{"sub/a.usda", "inner a"}, {"top.usda", "inner top"}});
    const std::string package = MakePackage({{"root.usda", "root"},
                                             {"sub/a.usda", "a"},
                                             {"sub/deep/b.usda", "b"},
                                             {"top.usda", "top"},
                                             {"sub/sib.usda", "sib"},
                                             {"inner.usdz", inner}});
    EXPECT_TRUE(memory_->Put("/t/p.usdz", package).ok());
    EXPECT_TRUE(memory_->Put("/t/out.usda", "out").ok());
  }

  std::string Identify(std::string_view path, std::string_view anchor) {
    return resolver_.CreateIdentifier(context_, {}, path, anchor);
  }
  std::string Content(std::string_view path) {
    const auto asset = resolver_.OpenAsset(context_, {}, path);
    if (!asset.ok()) return asset.status().ToString();
    return std::string(ReadAll(context_, **asset, 1 << 20).value().text());
  }

  RequestContext context_;
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  PackageResolver resolver_{memory_};
};

TEST_F(PackageResolverTest, OpensFilesOfPackages) {
  EXPECT_EQ(Content("/t/p.usdz[sub/a.usda]"), "a");
  EXPECT_EQ(Content("/t/p.usdz[inner.usdz[top.usda]]"), "inner top");
  EXPECT_EQ(Content("/t/out.usda"), "out");
  const auto asset = resolver_.OpenAsset(context_, {}, "/t/p.usdz[top.usda]").value();
  EXPECT_EQ(asset->name(), "/t/p.usdz[top.usda]");
  EXPECT_EQ(resolver_.GetVersion(context_, {}, "/t/p.usdz[top.usda]").value(), asset->version());
  EXPECT_EQ(resolver_.FindRootLayer(context_, {}, "/t/p.usdz").value(), "/t/p.usdz[root.usda]");
  EXPECT_EQ(resolver_.FindRootLayer(context_, {}, "/t/p.usdz[inner.usdz]").value(),
            "/t/p.usdz[inner.usdz[sub/a.usda]]");
}

TEST_F(PackageResolverTest, AsksForTheVersionsOfAllPackagesAtOnce) {
  ASSERT_TRUE(memory_->Put("/t/q.usdz", MakePackage({{"root.usda", "q"}})).ok());
  const auto faults = std::make_shared<Faults>();
  const PackageResolver resolver(std::make_shared<FaultyResolver>(memory_, faults));
  const std::vector<std::string> paths = {"/t/p.usdz[top.usda]",
                                          "/t/out.usda",
                                          "/t/p.usdz[inner.usdz[top.usda]]",
                                          "/t/q.usdz[root.usda]",
                                          "/t/p.usdz",
                                          "/t/p.usdz[nope.usda]",
                                          "/t/none.usdz[x.usda]",
                                          "/t/out.usda[top.usda]"};
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto versions = resolver.GetVersions(context_, {}, paths);
    ASSERT_EQ(versions.size(), paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      const auto single = resolver_.GetVersion(context_, {}, paths[i]);
      EXPECT_EQ(versions[i].status().code(), single.status().code()) << paths[i];
      if (versions[i].ok() && single.ok()) {
        EXPECT_EQ(*versions[i], *single) << paths[i];
      }
    }
    EXPECT_EQ(faults->version_calls, repeat + 1);
  }
  // An open package is not opened again to learn the versions of its files.
  const int64_t opens = faults->opens;
  resolver.GetVersions(context_, {}, std::vector<std::string>{"/t/q.usdz[root.usda]"});
  EXPECT_EQ(faults->opens, opens);
}

TEST_F(PackageResolverTest, ResolvesFilesInThePackage) {
  for (const char* path : {"/t/p.usdz", "/t/p.usdz[top.usda]", "/t/p.usdz[inner.usdz]",
                           "/t/p.usdz[inner.usdz[sub/a.usda]]"}) {
    EXPECT_EQ(resolver_.Resolve(context_, {}, path).value(), path);
  }
  EXPECT_EQ(resolver_.Resolve(context_, {}, "/t/../t/p.usdz[top.usda]").value(),
            "/t/p.usdz[top.usda]");
  EXPECT_EQ(resolver_.Resolve(context_, {}, "/t/p.usdz[]").value(), "/t/p.usdz");
  for (const char* path :
       {"/t/p.usdz[nope.usda]", "/t/p.usdz[sub/./a.usda]", "/t/p.usdz[/top.usda]",
        "/t/p.usdz[sub/../top.usda]", "/t/out.usda[top.usda]", "/t/p.usdz[nope.usdz[top.usda]]",
        "/t/none.usdz[top.usda]", "/t/p.usdz[top.usda[x]]", "/t/p.usdz[SUB/a.usda]"}) {
    EXPECT_EQ(resolver_.Resolve(context_, {}, path).status().code(), absl::StatusCode::kNotFound)
        << path;
    EXPECT_FALSE(resolver_.OpenAsset(context_, {}, path).ok()) << path;
  }
}

TEST_F(PackageResolverTest, AnchorsInsidePackages) {
  const struct {
    const char* anchor;
    const char* path;
    const char* identifier;
  } cases[] = {
      {"/t/p.usdz", "./sib.usda", "/t/p.usdz[sib.usda]"},
      {"/t/p.usdz", "sib.usda", "sib.usda"},
      {"/t/p.usdz", "top.usda", "/t/p.usdz[top.usda]"},
      {"/t/p.usdz", "../top.usda", "/t/p.usdz[../top.usda]"},
      {"/t/p.usdz", "out.usda", "/t/out.usda"},
      {"/t/p.usdz", "../out.usda", "/t/p.usdz[../out.usda]"},
      {"/t/p.usdz", "/t/out.usda", "/t/out.usda"},
      {"/t/p.usdz", "/top.usda", "/top.usda"},
      {"/t/p.usdz", "inner.usdz[top.usda]", "/t/p.usdz[inner.usdz[top.usda]]"},
      {"/t/p.usdz", "../inner.usdz[top.usda]", "/t/p.usdz[../inner.usdz[top.usda]]"},
      {"/t/p.usdz", "sub//sib.usda", "/t/p.usdz[sub/sib.usda]"},
      {"/t/p.usdz", "./x.png", "/t/p.usdz[x.png]"},
      {"/t/p.usdz", "./", "/t/p.usdz[.]"},
      {"/t/p.usdz[root.usda]", "top.usda", "/t/p.usdz[top.usda]"},
      {"/t/p.usdz[sub/a.usda]", "sib.usda", "/t/p.usdz[sub/sib.usda]"},
      {"/t/p.usdz[sub/a.usda]", "top.usda", "/t/p.usdz[top.usda]"},
      {"/t/p.usdz[sub/a.usda]", "./top.usda", "/t/p.usdz[sub/top.usda]"},
      {"/t/p.usdz[sub/a.usda]", "../top.usda", "/t/p.usdz[top.usda]"},
      {"/t/p.usdz[sub/a.usda]", "sub/a.usda", "/t/p.usdz[sub/a.usda]"},
      {"/t/p.usdz[sub/a.usda]", "deep/b.usda", "/t/p.usdz[sub/deep/b.usda]"},
      {"/t/p.usdz[sub/a.usda]", "nope.usda", "nope.usda"},
      {"/t/p.usdz[sub/a.usda]", "inner.usdz[top.usda]", "/t/p.usdz[inner.usdz[top.usda]]"},
      {"/t/p.usdz[sub/deep/b.usda]", "../sib.usda", "/t/p.usdz[sub/sib.usda]"},
      {"/t/p.usdz[sub/deep/b.usda]", "deep/b.usda", "deep/b.usda"},
      {"/t/p.usdz[inner.usdz]", "./sib.usda", "/t/p.usdz[inner.usdz[sub/sib.usda]]"},
      {"/t/p.usdz[inner.usdz[sub/a.usda]]", "../top.usda", "/t/p.usdz[inner.usdz[top.usda]]"},
      {"/t/p.usdz[inner.usdz[top.usda]]", "a.usda", "/t/p.usdz[inner.usdz[sub/a.usda]]"},
      {"/t/p.usdz[inner.usdz[sub/a.usda]]", "top.usda", "top.usda"},
      {"/t/p.usdz[inner.usdz]", "sub/a.usda", "sub/a.usda"},
      {"/t/p.usdz[inner.usdz[top.usda]]", "out.usda", "/t/out.usda"},
      {"/t/p.usdz[inner.usdz[top.usda]]", "sub/a.usda", "/t/p.usdz[inner.usdz[sub/a.usda]]"},
      {"/t/out.usda", "./p.usdz[top.usda]", "/t/p.usdz[top.usda]"},
      {"/t/out.usda", "p.usdz[top.usda]", "/t/p.usdz[top.usda]"},
      {"/t/out.usda", "q.usdz[top.usda]", "q.usdz[top.usda]"},
      {"/t/none.usdz", "./x.usda", "/t/x.usda"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Identify(c.path, c.anchor), c.identifier) << c.path << " in " << c.anchor;
  }
}

TEST_F(PackageResolverTest, IsSearchedForAsAWhole) {
  const ContextResolver search(std::make_shared<PackageResolver>(memory_), {"/t"});
  EXPECT_EQ(search.Resolve(context_, {}, "p.usdz[top.usda]").value(), "/t/p.usdz[top.usda]");
}

TEST_F(PackageResolverTest, ViewsKeepThePackageOpen) {
  const auto asset = resolver_.OpenAsset(context_, {}, "/t/p.usdz[sub/a.usda]").value();
  memory_->Remove("/t/p.usdz");
  EXPECT_EQ(asset->GetBuffer()->text(), "a");
  EXPECT_FALSE(resolver_.Resolve(context_, {}, "/t/p.usdz[sub/a.usda]").ok());
}

TEST_F(PackageResolverTest, SeesANewVersion) {
  const AssetVersion before = resolver_.GetVersion(context_, {}, "/t/p.usdz[top.usda]").value();
  ASSERT_TRUE(memory_->Put("/t/p.usdz", MakePackage({{"top.usda", "changed"}})).ok());
  EXPECT_EQ(Content("/t/p.usdz[top.usda]"), "changed");
  EXPECT_NE(resolver_.GetVersion(context_, {}, "/t/p.usdz[top.usda]").value(), before);
}

TEST_F(PackageResolverTest, TheVersionOfEqualContentDiffersOnlyLocally) {
  const auto version = [&] {
    EXPECT_TRUE(memory_->Put("/t/p.usdz", MakePackage({{"top.usda", "same"}})).ok());
    return resolver_.GetVersion(context_, {}, "/t/p.usdz[top.usda]").value();
  };
  const AssetVersion first = version(), second = version();
  EXPECT_EQ(first.content(), second.content());
  EXPECT_NE(first, second);
}

TEST_F(PackageResolverTest, OpensThePackageOnceForManyFiles) {
  auto faults = std::make_shared<Faults>();
  const PackageResolver resolver(std::make_shared<FaultyResolver>(memory_, faults));
  for (const char* name : {"root.usda", "top.usda", "sub/a.usda", "inner.usdz"}) {
    EXPECT_TRUE(resolver.OpenAsset(context_, {}, JoinPackageRelativePath("/t/p.usdz", name)).ok());
  }
  EXPECT_EQ(faults->opens, 1);
}

TEST_F(PackageResolverTest, ReadsPackagesWithoutMapping) {
  auto faults = std::make_shared<Faults>();
  faults->hide_buffer = true;
  faults->longest_read = 7;
  const PackageResolver resolver(std::make_shared<FaultyResolver>(memory_, faults));
  const auto asset = resolver.OpenAsset(context_, {}, "/t/p.usdz[inner.usdz[top.usda]]").value();
  EXPECT_EQ(ReadAll(context_, *asset, 100).value().text(), "inner top");
  faults->good_reads = 0;
  EXPECT_EQ(ReadAll(context_, *asset, 100).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(PackageResolverTest, ErrorsOfBadPackagesStateTheReason) {
  ASSERT_TRUE(memory_->Put("/t/bad.usdz", "no zip").ok());
  const absl::Status status = resolver_.OpenAsset(context_, {}, "/t/bad.usdz[a]").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status),
            "package '/t/bad.usdz': it does not begin with the header of a ZIP file");
  std::string compressed = MakePackage({{"a.usda", "x"}});
  compressed[8] = 8;
  ASSERT_TRUE(memory_->Put("/t/c.usdz", compressed).ok());
  EXPECT_EQ(Message(resolver_.OpenAsset(context_, {}, "/t/c.usdz[a.usda]").status()),
            "'/t/c.usdz[a.usda]' is compressed");
  PackageResolverOptions strict;
  strict.require_conforming = true;
  const PackageResolver refusing(memory_, strict);
  EXPECT_EQ(Message(refusing.Resolve(context_, {}, "/t/c.usdz[a.usda]").status()),
            "package '/t/c.usdz': 'a.usda' is compressed");
}

TEST_F(PackageResolverTest, NestingIsBounded) {
  std::string bytes = "leaf";
  std::string path = "x.usda";
  bytes = MakePackage({{path, bytes}});
  for (int i = 0; i < 12; ++i) {
    bytes = MakePackage({{"n.usdz", bytes}});
    path = Concat("n.usdz[", path, "]");
  }
  ASSERT_TRUE(memory_->Put("/t/deep.usdz", bytes).ok());
  const absl::Status status =
      resolver_.OpenAsset(context_, {}, "/t/deep.usdz[" + path + "]").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_FALSE(resolver_.FindRootLayer(context_, {}, "/t/deep.usdz").ok());
  const std::string brackets = "/t/p.usdz" + std::string(5000, '[') + std::string(5000, ']');
  EXPECT_FALSE(resolver_.OpenAsset(context_, {}, brackets).ok());
  (void)Identify(brackets, "/t/p.usdz");
}

// Packages within a package that can be opened, of a file in as many.
TEST_F(PackageResolverTest, TheLimitOfNestingIsExact) {
  std::string bytes = MakePackage({{"x.usda", "leaf"}});
  std::string path = "x.usda";
  for (int levels = 1;; ++levels) {
    const std::string name = Concat("/t/deep", levels, ".usdz");
    ASSERT_TRUE(memory_->Put(name, bytes).ok());
    const bool opens = resolver_.OpenAsset(context_, {}, Concat(name, "[", path, "]")).ok();
    EXPECT_EQ(opens, levels <= 8) << levels;
    if (!opens || levels > 8) break;
    bytes = MakePackage({{"n.usdz", bytes}});
    path = Concat("n.usdz[", path, "]");
  }
}

// A package resolver must also be a good resolver for assets outside packages.
class PlainBackend : public ResolverBackend {
 public:
  const Resolver& resolver() const override { return resolver_; }
  std::string Path(std::string_view name) const override {
    return NormalizeAssetPath(Concat("/", name));
  }
  void Write(std::string_view name, std::string_view content) override {
    EXPECT_TRUE(memory_->Put(Path(name), std::string(content)).ok());
  }
  void Remove(std::string_view name) override { memory_->Remove(Path(name)); }

 private:
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  PackageResolver resolver_{memory_};
};

INSTANTIATE_TEST_SUITE_P(Package, ResolverConformance,
                         testing::Values([] { return std::make_unique<PlainBackend>(); }));

}  // namespace
}  // namespace stagedoor
