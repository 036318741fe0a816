#include "resolver/scoped_resolver.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "resolver/access/access_scope.h"
#include "resolver/memory/memory_resolver.h"

namespace stagedoor {
namespace {

// Counts what reaches the base.
class SpyResolver final : public Resolver {
 public:
  explicit SpyResolver(std::shared_ptr<const Resolver> base) : base_(std::move(base)) {}

  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view asset_path,
                               std::string_view anchor) const override {
    identified.emplace_back(asset_path);
    return CreateDefaultIdentifier(*this, context, resolver_context, asset_path, anchor);
  }
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      std::string_view identifier) const override {
    asked.emplace_back(identifier);
    if (identifier == "/show/moved.usd") return "/secret/moved.usd";
    return base_->Resolve(context, resolver_context, identifier);
  }
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view path) const override {
    asked.emplace_back(path);
    return base_->OpenAsset(context, resolver_context, path);
  }
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view path) const override {
    asked.emplace_back(path);
    return base_->GetVersion(context, resolver_context, path);
  }

  mutable std::vector<std::string> asked;
  mutable std::vector<std::string> identified;

 private:
  const std::shared_ptr<const Resolver> base_;
};

class ScopedResolverTest : public testing::Test {
 protected:
  ScopedResolverTest() {
    for (const char* name : {"/show/a.usd", "/secret/a.usd", "/secret/moved.usd"}) {
      EXPECT_TRUE(files_->Put(name, "#usda 1.0\n").ok());
    }
    const auto scope = AccessScope::Create(std::vector<std::string>{"/show"});
    scope_ = ResolverContext::Create({.access = *scope});
  }
  absl::Status Resolve(const ResolverContext& resolver_context, std::string_view path) {
    return resolver_.Resolve(context_, resolver_context, path).status();
  }

  const std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  const std::shared_ptr<SpyResolver> spy_ = std::make_shared<SpyResolver>(files_);
  ScopedResolver resolver_{spy_};
  RequestContext context_;
  ResolverContext scope_;
};

TEST_F(ScopedResolverTest, WithoutAScopeEverythingIsVisible) {
  EXPECT_TRUE(Resolve({}, "/secret/a.usd").ok());
  EXPECT_TRUE(resolver_.OpenAsset(context_, {}, "/secret/a.usd").ok());
}

TEST_F(ScopedResolverTest, HiddenAssetsAreDecidedByTheirNames) {
  EXPECT_TRUE(Resolve(scope_, "/show/a.usd").ok());
  spy_->asked.clear();
  for (const char* path : {"/secret/a.usd", "/secret/none.usd", "/show/../secret/a.usd", "a.usd"}) {
    const absl::Status expected = NotFoundError("asset not found: ", Quoted(path));
    EXPECT_EQ(Resolve(scope_, path), expected);
    EXPECT_EQ(resolver_.OpenAsset(context_, scope_, path).status(), expected);
    EXPECT_EQ(resolver_.GetVersion(context_, scope_, path).status(), expected);
  }
  EXPECT_TRUE(spy_->asked.empty()) << spy_->asked.front();
}

TEST_F(ScopedResolverTest, AnAssetThatMovedOutOfTheScopeIsHidden) {
  EXPECT_EQ(Resolve(scope_, "/show/moved.usd"),
            NotFoundError("asset not found: '/show/moved.usd'"));
  EXPECT_TRUE(Resolve({}, "/show/moved.usd").ok());
}

TEST_F(ScopedResolverTest, VersionsOfHiddenAssetsAreNotAskedFor) {
  const std::vector<std::string> paths = {"/secret/a.usd", "/show/a.usd", "/secret/b.usd"};
  const auto versions = resolver_.GetVersions(context_, scope_, paths);
  ASSERT_EQ(versions.size(), 3u);
  EXPECT_EQ(versions[0].status(), NotFoundError("asset not found: '/secret/a.usd'"));
  EXPECT_TRUE(versions[1].ok()) << versions[1].status();
  EXPECT_EQ(versions[2].status(), NotFoundError("asset not found: '/secret/b.usd'"));
  EXPECT_EQ(spy_->asked, std::vector<std::string>{"/show/a.usd"});
}

TEST_F(ScopedResolverTest, IdentifiersDoNotTellWhatExists) {
  const auto identify = [&](std::string_view path) {
    return resolver_.CreateIdentifier(context_, scope_, path, "/show/a.usd");
  };
  EXPECT_EQ(identify("a.usd"), "/show/a.usd");
  EXPECT_EQ(identify("./b.usd"), "/show/b.usd");
  spy_->asked.clear();
  spy_->identified.clear();
  EXPECT_EQ(identify("/secret/a.usd"), "/secret/a.usd");
  EXPECT_EQ(identify("../secret/a.usd"), "/secret/a.usd");
  EXPECT_EQ(identify("studio://secret/a"), "studio://secret/a");
  EXPECT_EQ(identify("x/../../secret/a.usd"), "../secret/a.usd");
  EXPECT_EQ(identify("x/../../secret/n.usd"), "../secret/n.usd");
  EXPECT_TRUE(spy_->asked.empty());
  EXPECT_TRUE(spy_->identified.empty()) << spy_->identified.front();
}

}  // namespace
}  // namespace stagedoor
