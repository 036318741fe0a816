#include "server/stages/resolver_context_preparation.h"

#include <filesystem>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/context_resolver.h"
#include "resolver/file/file_resolver.h"
#include "scene/usda/usda_format.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// Files in DIR/show may be read, those in DIR/secret may not.
class ResolverContextPreparationTest : public testing::Test {
 protected:
  ResolverContextPreparationTest() {
    folder_.Write("show/lib/a.usda", "#usda 1.0\n");
    folder_.Write("show/pins.json", R"({"/a": "/b"})");
    folder_.Write("secret/pins.json", "{}");
    layers_ = std::make_unique<LayerRegistry>(
        std::make_shared<ContextResolver>(
            FileResolver::Create({.roots = {folder_ / "show"}}).value()),
        std::vector<LayerFormat>{UsdaFormat()}, LayerRegistry::Options());
  }

  absl::StatusOr<ResolverContext> Prepare(ResolverContext::Recipe recipe) {
    return PrepareResolverContext(context_, *layers_, ResolverContext::Create(std::move(recipe)));
  }

  TempDir folder_;
  RequestContext context_;
  std::unique_ptr<LayerRegistry> layers_;
};

TEST_F(ResolverContextPreparationTest, SearchPathsStayInTheRoots) {
  EXPECT_TRUE(Prepare({}).ok());
  EXPECT_TRUE(Prepare({.search_paths = {folder_ / "show/lib"}}).ok());
  EXPECT_TRUE(Prepare({.search_paths = {folder_ / "show/not-there"}}).ok());
  std::filesystem::create_directory_symlink(folder_ / "secret", folder_ / "show/link");
  for (const char* outside : {"secret", "none", "show/../secret", "show/link"}) {
    const absl::Status status =
        Prepare({.search_paths = {folder_ / "show/lib", folder_ / outside}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << outside << status;
    EXPECT_EQ(GetReason(status), v1::ERROR_REASON_ASSET_FORBIDDEN) << outside;
  }
}

TEST_F(ResolverContextPreparationTest, PinFilesAreReadWithinTheRoots) {
  const auto ready = Prepare({.pin_files = {folder_ / "show/pins.json"}});
  ASSERT_TRUE(ready.ok()) << ready.status();
  ASSERT_NE(ready->FindPin("/a"), nullptr);
  EXPECT_EQ(GetReason(Prepare({.pin_files = {folder_ / "secret/pins.json"}}).status()),
            v1::ERROR_REASON_ASSET_FORBIDDEN);
  EXPECT_EQ(GetReason(Prepare({.pin_files = {folder_ / "show/none.json"}}).status()),
            v1::ERROR_REASON_LAYER_NOT_FOUND);
}

TEST_F(ResolverContextPreparationTest, LayersAreOpened) {
  EXPECT_TRUE(Prepare({.layers = {{"/anywhere/a.usda", "#usda 1.0\n"}}}).ok());
  const absl::Status status = Prepare({.layers = {{"/a.usda", "#usda 1.0\ndef {"}}}).status();
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_LAYER_SYNTAX);
  EXPECT_TRUE(Message(status).starts_with("/a.usda:2:")) << status;
}

// A layer does not give access to the files beside it.
TEST_F(ResolverContextPreparationTest, LayersDoNotOpenTheRoots) {
  const auto ready = Prepare({.layers = {{folder_ / "secret/a.usda", "#usda 1.0\n"}}});
  ASSERT_TRUE(ready.ok()) << ready.status();
  const auto layer = layers_->Open(context_, *ready, folder_ / "secret/a.usda");
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(layers_->Open(context_, *ready, "./pins.json", layer->get()).status().code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace stagedoor::server
