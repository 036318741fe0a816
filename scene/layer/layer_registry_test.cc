#include "scene/layer/layer_registry.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/context_resolver.h"
#include "resolver/fail_if_outage.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/testing/faulty_resolver.h"
#include "resolver/testing/forwarding_resolver.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

// A format whose layers have their text as comment of the pseudo-root.
LayerFormat NoteFormat() {
  return {.name = "note",
          .extensions = {"note"},
          .reads = [](std::string_view first) { return first.substr(0, 5) == "#note"; },
          .open = [](RequestContext& context, const std::shared_ptr<const Asset>& asset,
                     Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
            auto bytes = ReadAll(context, *asset, 1 << 20);
            if (!bytes.ok()) return bytes.status();
            LayerBuilder builder;
            builder.Set(kRootSpec, Fields().comment, Value(std::string(bytes->text())));
            return std::move(builder).Build(std::move(info));
          }};
}

class LayerRegistryTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryResolver> resolver_ = std::make_shared<MemoryResolver>();
  LayerRegistry registry_{resolver_, {NoteFormat()}, {}};
  RequestContext context_;
};

TEST_F(LayerRegistryTest, OpensALayerOnceAndSharesIt) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note one").ok());
  const auto first = registry_.Open(context_, {}, "/a.note", nullptr);
  const auto second = registry_.Open(context_, {}, "/a.note", nullptr);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->get(), second->get());
  EXPECT_EQ(registry_.Stats().loads, 1);
  EXPECT_EQ((*first)->info().resolved_path, "/a.note");
}

TEST_F(LayerRegistryTest, ANewVersionIsANewLayer) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note one").ok());
  const auto first = registry_.Open(context_, {}, "/a.note", nullptr);
  ASSERT_TRUE(resolver_->Put("/a.note", "#note two").ok());
  const auto second = registry_.Open(context_, {}, "/a.note", nullptr);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->GetAs<std::string>(kRootSpec, Fields().comment), "#note one");
  EXPECT_EQ((*second)->GetAs<std::string>(kRootSpec, Fields().comment), "#note two");
}

TEST_F(LayerRegistryTest, ContextsShareWhatResolvesToTheSameAsset) {
  for (const char* name : {"/one/a.note", "/two/a.note", "/b.note"}) {
    ASSERT_TRUE(resolver_->Put(name, Concat("#note ", name)).ok());
  }
  LayerRegistry registry(std::make_shared<ContextResolver>(resolver_), {NoteFormat()}, {});
  const auto one = ResolverContext::Create({.search_paths = {"/one"}});
  const auto two = ResolverContext::Create({.search_paths = {"/two"}});
  const auto both = ResolverContext::Create({.search_paths = {"/one", "/two"}});
  const auto open = [&](const ResolverContext& resolver_context, const char* path) {
    return registry.Open(context_, resolver_context, path, nullptr).value();
  };
  EXPECT_EQ(open(one, "a.note")->info().resolved_path, "/one/a.note");
  EXPECT_EQ(open(two, "a.note")->info().resolved_path, "/two/a.note");
  EXPECT_EQ(open(one, "a.note"), open(both, "a.note"));
  EXPECT_EQ(open(one, "/b.note"), open({}, "/b.note"));
  EXPECT_EQ(registry.Stats().loads, 3);
}

TEST_F(LayerRegistryTest, LayersOfContextsAreSharedByContent) {
  LayerRegistry registry(std::make_shared<ContextResolver>(resolver_), {NoteFormat()}, {});
  const auto with = [](const char* text, const char* other) {
    return ResolverContext::Create(
        {.layers = {{"/a.note", text}, {"memory://job/b.note", "#note b"}, {"/x.note", other}}});
  };
  const auto open = [&](const ResolverContext& resolver_context) {
    return registry.Open(context_, resolver_context, "/a.note", nullptr).value();
  };
  const auto first = open(with("#note 1", ""));
  EXPECT_EQ(first->GetAs<std::string>(kRootSpec, Fields().comment), "#note 1");
  EXPECT_EQ(open(with("#note 1", "other")), first);
  EXPECT_NE(open(with("#note 2", "")), first);
  EXPECT_FALSE(registry.Open(context_, {}, "/a.note", nullptr).ok());
  EXPECT_TRUE(registry.Open(context_, with("#note 1", ""), "memory://job/b.note", nullptr).ok());
}

// Clients may send any number of layers with ever new paths, which must not stay for ever.
TEST_F(LayerRegistryTest, LayersOfContextsKeepTheirPathsThemselves) {
  LayerRegistry registry(std::make_shared<ContextResolver>(resolver_), {NoteFormat()}, {});
  ASSERT_TRUE(resolver_->Put("/file.note", "#note").ok());
  const auto context = ResolverContext::Create({.layers = {{"/sent.note", "#note"}}});
  EXPECT_NE(registry.Open(context_, context, "/sent.note", nullptr).value()->paths(), nullptr);
  EXPECT_EQ(registry.Open(context_, context, "/file.note", nullptr).value()->paths(), nullptr);
}

TEST_F(LayerRegistryTest, RelativePathsAreAnchoredToTheLayer) {
  ASSERT_TRUE(resolver_->Put("/shot/root.note", "#note").ok());
  ASSERT_TRUE(resolver_->Put("/shot/sub/b.note", "#note").ok());
  const auto root = registry_.Open(context_, {}, "/shot/root.note", nullptr);
  ASSERT_TRUE(root.ok());
  EXPECT_TRUE(registry_.Open(context_, {}, "./sub/b.note", root->get()).ok());
}

TEST_F(LayerRegistryTest, ErrorsNameTheAsset) {
  ASSERT_TRUE(resolver_->Put("/noise", "nothing known").ok());
  for (const auto& [path, code] : {std::pair("/none.note", absl::StatusCode::kNotFound),
                                   std::pair("/noise", absl::StatusCode::kInvalidArgument)}) {
    const auto layer = registry_.Open(context_, {}, path, nullptr);
    EXPECT_EQ(layer.status().code(), code) << path;
    EXPECT_NE(layer.status().ToString().find(path), std::string::npos) << layer.status();
  }
}

TEST_F(LayerRegistryTest, TheContentDecidesTheFormatOfUsdFiles) {
  ASSERT_TRUE(resolver_->Put("/a.usd", "#note").ok());
  EXPECT_TRUE(registry_.Open(context_, {}, "/a.usd", nullptr).ok());
}

TEST_F(LayerRegistryTest, UnknownExtensionsAreErrors) {
  for (const char* path : {"/a", "/a.txt", "/a."}) {
    ASSERT_TRUE(resolver_->Put(path, "#note").ok());
    EXPECT_FALSE(registry_.Open(context_, {}, path, nullptr).ok()) << path;
  }
}

TEST_F(LayerRegistryTest, TheExtensionTakesPrecedenceOverTheContent) {
  ASSERT_TRUE(resolver_->Put("/a.note", "no note at all").ok());
  EXPECT_TRUE(registry_.Open(context_, {}, "/a.note", nullptr).ok());
}

// As in OpenUSD.
TEST_F(LayerRegistryTest, TwoIdentifiersOfOneFileAreTwoLayers) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note").ok());
  const auto one = registry_.Open(context_, {}, "/a.note");
  const auto other = registry_.Open(context_, {}, "/b/../a.note");
  ASSERT_TRUE(one.ok() && other.ok()) << other.status();
  EXPECT_NE(one->get(), other->get());
  EXPECT_EQ((*one)->identifier(), "/a.note");
  EXPECT_EQ((*other)->identifier(), "/b/../a.note");
  EXPECT_EQ((*other)->info().resolved_path, "/a.note");
}

TEST_F(LayerRegistryTest, AssetsThatAreTooLargeAreRejected) {
  LayerRegistry small(resolver_, {NoteFormat()}, {.max_layer_bytes = 8});
  ASSERT_TRUE(resolver_->Put("/8.note", "#note 78").ok());
  ASSERT_TRUE(resolver_->Put("/9.note", "#note 789").ok());
  EXPECT_TRUE(small.Open(context_, {}, "/8.note").ok());
  const absl::Status large = small.Open(context_, {}, "/9.note").status();
  EXPECT_EQ(large.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(large.message().find("/9.note: 9 bytes"), std::string::npos) << large;
}

TEST_F(LayerRegistryTest, OpenUncachedDoesNotFillTheCache) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note").ok());
  const auto first = registry_.OpenUncached(context_, {}, "/a.note");
  const auto second = registry_.OpenUncached(context_, {}, "/a.note");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->layer, second->layer);
  EXPECT_EQ(first->asset_bytes, 5u);
  EXPECT_EQ(registry_.cached_bytes(), 0u);
}

// A resolver whose first `changing` assets change while they are read.
class RestlessResolver final : public ForwardingResolver {
 public:
  RestlessResolver(std::shared_ptr<const Resolver> base, int changing)
      : ForwardingResolver(std::move(base)), changing_(changing) {}

  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view path) const override {
    auto asset = ForwardingResolver::OpenAsset(context, resolver_context, path);
    if (!asset.ok() || ++opens > changing_) return asset;
    const auto faults = std::make_shared<Faults>();
    faults->damaged = true;
    return MakeFaultyAsset(*asset, faults);
  }

  mutable int opens = 0;

 private:
  const int changing_;
};

TEST_F(LayerRegistryTest, AFileThatKeepsChangingIsReadFourTimes) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note one").ok());
  for (const int changing : {0, 1, 3, 4}) {
    const auto restless = std::make_shared<RestlessResolver>(resolver_, changing);
    LayerRegistry registry(restless, {NoteFormat()}, {});
    const auto layer = registry.Open(context_, {}, "/a.note", nullptr);
    EXPECT_EQ(restless->opens, std::min(changing + 1, 4)) << changing;
    if (changing < 4) {
      ASSERT_TRUE(layer.ok()) << changing << ": " << layer.status();
      EXPECT_EQ((*layer)->GetAs<std::string>(kRootSpec, Fields().comment), "#note one");
    } else {
      EXPECT_EQ(layer.status().code(), absl::StatusCode::kDataLoss);
      EXPECT_EQ(context_.Check(), layer.status()) << "the scene would be wrong without it";
    }
  }
}

// An asset that its store has replaced, unless it has the content by then.
class ReplacedAsset final : public Asset {
 public:
  explicit ReplacedAsset(std::shared_ptr<const Asset> asset) : asset_(std::move(asset)) {}
  const std::string& name() const override { return asset_->name(); }
  const AssetVersion& version() const override { return asset_->version(); }
  uint64_t size() const override { return asset_->size(); }
  absl::StatusOr<size_t> Read(RequestContext&, uint64_t, std::span<std::byte>) const override {
    return AsReplaced(DataLossError("replaced"));
  }

 private:
  const std::shared_ptr<const Asset> asset_;
};

// A resolver whose first `replaced` assets were replaced after they were opened.
class DisagreeingResolver final : public ForwardingResolver {
 public:
  DisagreeingResolver(std::shared_ptr<const Resolver> base, int replaced)
      : ForwardingResolver(std::move(base)), replaced_(replaced) {}

  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view path) const override {
    auto asset = ForwardingResolver::OpenAsset(context, resolver_context, path);
    if (!asset.ok() || ++opens > replaced_) return asset;
    return std::make_shared<ReplacedAsset>(*std::move(asset));
  }

  mutable int opens = 0;

 private:
  const int replaced_;
};

TEST_F(LayerRegistryTest, AnAssetThatItsStoreKeepsReplacingFailsTheRequest) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note one").ok());
  for (const int replaced : {1, 3, 4}) {
    const auto resolver = std::make_shared<DisagreeingResolver>(resolver_, replaced);
    LayerRegistry registry(resolver, {NoteFormat()}, {});
    RequestContext context;
    const auto layer = registry.Open(context, {}, "/a.note", nullptr);
    EXPECT_EQ(resolver->opens, std::min(replaced + 1, 4)) << replaced;
    EXPECT_EQ(layer.ok(), replaced < 4) << layer.status();
    EXPECT_EQ(context.Check().code(), layer.status().code());
  }
}

// Damaged content, in contrast, is an error of composition.
TEST_F(LayerRegistryTest, ADamagedLayerDoesNotFailTheRequest) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note one").ok());
  LayerFormat damaged = NoteFormat();
  damaged.open = [](RequestContext&, const std::shared_ptr<const Asset>&,
                    Layer::Info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
    return DataLossError("damaged");
  };
  LayerRegistry registry(resolver_, {damaged}, {});
  EXPECT_EQ(registry.Open(context_, {}, "/a.note", nullptr).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_TRUE(context_.Check().ok());
}

TEST_F(LayerRegistryTest, OneOfTheFormatsMustRecognizeTheContent) {
  ASSERT_TRUE(resolver_->Put("/a.usd", "#note one").ok());
  ASSERT_TRUE(resolver_->Put("/b.usd", "other").ok());
  EXPECT_TRUE(registry_.Open(context_, {}, "/a.usd", nullptr).ok());
  EXPECT_EQ(registry_.Open(context_, {}, "/b.usd", nullptr).status().code(),
            absl::StatusCode::kInvalidArgument)
      << "no format reads it";
  LayerFormat blind = NoteFormat();
  blind.extensions = {};
  blind.reads = nullptr;
  LayerRegistry registry(resolver_, {blind, NoteFormat()}, {});
  EXPECT_TRUE(registry.Open(context_, {}, "/a.usd", nullptr).ok()) << "the second format does";
}

TEST_F(LayerRegistryTest, LayersKnowTheirAsset) {
  ASSERT_TRUE(resolver_->Put("/a.usd", "#note").ok());
  const auto layer = registry_.Open(context_, {}, "/a.usd");
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ((*layer)->info().format, "note");
  EXPECT_EQ((*layer)->info().resolved_path, "/a.usd");
  EXPECT_FALSE((*layer)->info().version.empty());
  EXPECT_FALSE((*layer)->info().anonymous);
}

TEST_F(LayerRegistryTest, UnusedLayersAreTrimmed) {
  LayerRegistry registry(resolver_, {NoteFormat()}, {.cache = {.max_bytes = 1}});
  ASSERT_TRUE(resolver_->Put("/a.note", "#note").ok());
  auto layer = registry.Open(context_, {}, "/a.note");
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ(registry.cached_bytes(), (*layer)->byte_size());
  registry.Trim();
  EXPECT_GT(registry.cached_bytes(), registry.max_cached_bytes()) << "it is in use";
  *layer = nullptr;
  registry.Trim();
  EXPECT_EQ(registry.cached_bytes(), 0u);
}

}  // namespace
}  // namespace stagedoor
