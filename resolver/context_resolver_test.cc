#include "resolver/context_resolver.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/testing/memory_backend.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

class ContextResolverTest : public testing::Test {
 protected:
  ContextResolverTest() {
    for (const char* name :
         {"/shot/here.usd", "/shot/lib/a.usd", "/one/lib/a.usd", "/one/b.usd", "/two/lib/a.usd",
          "/two/b.usd", "/two/c.usd", "/own/b.usd", "/own/d.usd", "/v2/a.usd"}) {
      EXPECT_TRUE(memory_->Put(name, name).ok());
    }
  }

  // The resolved path of an asset path in a layer; empty if it does not resolve.
  std::string Resolve(const ResolverContext& resolver_context, std::string_view path,
                      std::string_view anchor = "/shot/root.usd") {
    const std::string identifier =
        resolver_.CreateIdentifier(context_, resolver_context, path, anchor);
    return resolver_.Resolve(context_, resolver_context, identifier).value_or("");
  }
  std::string Content(const ResolverContext& resolver_context, std::string_view resolved) {
    const auto asset = resolver_.OpenAsset(context_, resolver_context, resolved);
    if (!asset.ok()) return std::string(Message(asset.status()));
    EXPECT_EQ(resolver_.GetVersion(context_, resolver_context, resolved).value(),
              (*asset)->version());
    return std::string((*asset)->GetBuffer()->text());
  }

  RequestContext context_;
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  ContextResolver resolver_{memory_, {"/own"}};
};

TEST_F(ContextResolverTest, SearchPathsOfTheContextComeFirst) {
  EXPECT_EQ(Resolve({}, "b.usd"), "/own/b.usd");
  EXPECT_EQ(Resolve({}, "c.usd"), "");
  const auto one = ResolverContext::Create({.search_paths = {"/one", "/two/"}});
  const auto two = ResolverContext::Create({.search_paths = {"/two", "/one"}});
  EXPECT_EQ(Resolve(one, "b.usd"), "/one/b.usd");
  EXPECT_EQ(Resolve(two, "b.usd"), "/two/b.usd");
  EXPECT_EQ(Resolve(one, "c.usd"), "/two/c.usd");
  EXPECT_EQ(Resolve(one, "d.usd"), "/own/d.usd");
  EXPECT_EQ(Resolve(one, "none.usd"), "");
  EXPECT_EQ(Resolve(one, "lib/a.usd"), "/shot/lib/a.usd") << "beside the layer first";
  EXPECT_EQ(Resolve(one, "lib/a.usd", "/other/root.usd"), "/one/lib/a.usd");
  EXPECT_EQ(Resolve(one, "./b.usd"), "") << "not a search path";
  EXPECT_EQ(Resolve(one, "../b.usd"), "");
}

TEST_F(ContextResolverTest, PinsReplaceWhatIsAuthoredIdentifiedOrResolved) {
  const auto pinned = [&](const char* from, std::string_view path) {
    return Resolve(
        ResolverContext::Create({.search_paths = {"/one"}, .pins = {{from, "/v2/a.usd"}}}), path);
  };
  EXPECT_EQ(pinned("lib/a.usd", "lib/a.usd"), "/v2/a.usd") << "stronger than beside the layer";
  EXPECT_EQ(pinned("/shot/lib/a.usd", "lib/a.usd"), "/v2/a.usd");
  EXPECT_EQ(pinned("/shot/lib/a.usd", "./lib/a.usd"), "/v2/a.usd");
  EXPECT_EQ(pinned("/one/b.usd", "b.usd"), "/v2/a.usd") << "where the search ends";
  EXPECT_EQ(pinned("/shot/none.usd", "none.usd"), "/v2/a.usd") << "which need not exist";
  EXPECT_EQ(pinned("/shot/none.usd", "./none.usd"), "/v2/a.usd");
  EXPECT_EQ(pinned("/one/none.usd", "none.usd"), "/v2/a.usd");
  EXPECT_EQ(pinned("none.usd", "sub/../none.usd"), "/v2/a.usd");
  EXPECT_EQ(pinned("/two/b.usd", "b.usd"), "/one/b.usd") << "another asset";
}

TEST_F(ContextResolverTest, TargetsOfPinsAreSearchedButNotPinnedAgain) {
  const auto context = ResolverContext::Create({.search_paths = {"/one"},
                                                .pins = {{"/x.usd", "b.usd"},
                                                         {"b.usd", "/v2/a.usd"},
                                                         {"/one/b.usd", "/v2/a.usd"},
                                                         {"/y.usd", "/y.usd"},
                                                         {"/z.usd", "/none.usd"}}});
  EXPECT_EQ(Resolve(context, "/x.usd"), "/one/b.usd");
  EXPECT_EQ(Resolve(context, "/y.usd"), "");
  EXPECT_EQ(resolver_.Resolve(context_, context, "/z.usd").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ContextResolverTest, LayersTakePrecedenceOverAssets) {
  const auto context = ResolverContext::Create({.search_paths = {"/one"},
                                                .layers = {{"/shot/here.usd", "sent"},
                                                           {"/shot/new.usd", "new"},
                                                           {"/one/found.usd", "found"},
                                                           {"lib/free.usd", "free"},
                                                           {"memory://job/fx.usd", "fx"}}});
  EXPECT_EQ(Content(context, Resolve(context, "here.usd")), "sent");
  EXPECT_EQ(Content(context, Resolve(context, "./here.usd")), "sent");
  EXPECT_EQ(Content(context, Resolve(context, "new.usd")), "new");
  EXPECT_EQ(Content(context, Resolve(context, "found.usd")), "found");
  EXPECT_EQ(Content(context, Resolve(context, "lib/free.usd")), "free");
  EXPECT_EQ(Content(context, Resolve(context, "memory://job/fx.usd")), "fx");
  EXPECT_EQ(Content({}, Resolve({}, "here.usd")), "/shot/here.usd");
  EXPECT_EQ(Resolve({}, "new.usd"), "") << "other contexts do not see it";
}

TEST_F(ContextResolverTest, PathsInALayerAreRelativeToItsName) {
  const auto context = ResolverContext::Create(
      {.layers = {{"memory://job/fx.usd", "fx"}, {"memory://job/more.usd", "more"}}});
  EXPECT_EQ(Resolve(context, "./more.usd", "memory://job/fx.usd"), "memory://job/more.usd");
  EXPECT_EQ(Resolve(context, "more.usd", "memory://job/fx.usd"), "memory://job/more.usd");
  EXPECT_EQ(Resolve(context, "d.usd", "memory://job/fx.usd"), "/own/d.usd");
  EXPECT_EQ(Resolve(context, "/one/b.usd", "memory://job/fx.usd"), "/one/b.usd");
}

TEST_F(ContextResolverTest, APinCanLeadToALayer) {
  const auto context = ResolverContext::Create(
      {.pins = {{"/shot/here.usd", "memory://fix.usd"}}, .layers = {{"memory://fix.usd", "fix"}}});
  EXPECT_EQ(Content(context, Resolve(context, "./here.usd")), "fix");
}

TEST_F(ContextResolverTest, FailuresAreReportedUnlessALaterDirectoryHasTheAsset) {
  // No asset path has a NUL character, so looking for it fails otherwise than with NOT_FOUND.
  const auto context = ResolverContext::Create({.search_paths = {std::string("/") + '\0', "/two"}});
  EXPECT_EQ(Resolve(context, "c.usd"), "/two/c.usd");
  EXPECT_EQ(resolver_.Resolve(context_, context, "none.usd").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ContextResolverTest, EndedRequestsFail) {
  const auto context = ResolverContext::Create({.layers = {{"/a.usd", "x"}}});
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(resolver_.Resolve(cancelled, context, "/a.usd").status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(resolver_.OpenAsset(cancelled, context, "/a.usd").status().code(),
            absl::StatusCode::kCancelled);
}

class ContextBackend : public MemoryBackend {
 public:
  ContextBackend() : MemoryBackend("/job/") {
    outer_ = std::make_shared<ContextResolver>(memory_, std::vector<std::string>{"/nowhere"});
  }
  ResolverContext context() const override {
    return ResolverContext::Create({.search_paths = {"/elsewhere"},
                                    .pins = {{"/other.usd", "/another.usd"}},
                                    .layers = {{"/other/layer.usd", "x"}}});
  }
};

INSTANTIATE_TEST_SUITE_P(Context, ResolverConformance,
                         testing::Values([] { return std::make_unique<ContextBackend>(); }));

}  // namespace
}  // namespace stagedoor
