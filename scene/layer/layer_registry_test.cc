#include "scene/layer/layer_registry.h"

#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "scene/layer/fields.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

// A format whose layers hold their text as the root's comment.
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
  const auto first = registry_.Open(context_, "/a.note", nullptr);
  const auto second = registry_.Open(context_, "/a.note", nullptr);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->get(), second->get());
  EXPECT_EQ(context_.count(Counter::kLayerOpens), 1);
  EXPECT_EQ((*first)->info().resolved_path, "/a.note");
}

TEST_F(LayerRegistryTest, ANewVersionIsANewLayer) {
  ASSERT_TRUE(resolver_->Put("/a.note", "#note one").ok());
  const auto first = registry_.Open(context_, "/a.note", nullptr);
  ASSERT_TRUE(resolver_->Put("/a.note", "#note two").ok());
  const auto second = registry_.Open(context_, "/a.note", nullptr);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->GetAs<std::string>(kRootSpec, Fields().comment), "#note one");
  EXPECT_EQ((*second)->GetAs<std::string>(kRootSpec, Fields().comment), "#note two");
}

TEST_F(LayerRegistryTest, RelativePathsAreAnchoredToTheLayer) {
  ASSERT_TRUE(resolver_->Put("/shot/root.note", "#note").ok());
  ASSERT_TRUE(resolver_->Put("/shot/sub/b.note", "#note").ok());
  const auto root = registry_.Open(context_, "/shot/root.note", nullptr);
  ASSERT_TRUE(root.ok());
  EXPECT_TRUE(registry_.Open(context_, "./sub/b.note", root->get()).ok());
}

TEST_F(LayerRegistryTest, ErrorsNameTheAsset) {
  ASSERT_TRUE(resolver_->Put("/noise", "nothing known").ok());
  for (const auto& [path, code] : {std::pair("/none.note", absl::StatusCode::kNotFound),
                                   std::pair("/noise", absl::StatusCode::kInvalidArgument)}) {
    const auto layer = registry_.Open(context_, path, nullptr);
    EXPECT_EQ(layer.status().code(), code) << path;
    EXPECT_NE(layer.status().ToString().find(path), std::string::npos) << layer.status();
  }
}

TEST_F(LayerRegistryTest, TheContentTellsWhatTheExtensionDoesNot) {
  ASSERT_TRUE(resolver_->Put("/a.usd", "#note").ok());
  EXPECT_TRUE(registry_.Open(context_, "/a.usd", nullptr).ok());
}

TEST_F(LayerRegistryTest, AnUnknownExtensionIsNoLayer) {
  for (const char* path : {"/a", "/a.txt", "/a."}) {
    ASSERT_TRUE(resolver_->Put(path, "#note").ok());
    EXPECT_FALSE(registry_.Open(context_, path, nullptr).ok()) << path;
  }
}

}  // namespace
}  // namespace stagedoor
