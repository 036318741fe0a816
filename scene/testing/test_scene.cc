#include "scene/testing/test_scene.h"

#include <utility>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/context_resolver.h"
#include "scene/schema/schema_registry_builder.h"
#include "scene/usda/usda_format.h"

namespace stagedoor {
TestScene::TestScene()
    : memory_(std::make_shared<MemoryResolver>()),
      registry_(std::make_shared<ContextResolver>(memory_), {UsdaFormat()}, {}),
      schemas_(SchemaRegistryBuilder().Build()),
      executor_(2),
      clips_(registry_, {}) {
  environment_ = {
      .layers = &registry_, .schemas = schemas_.get(), .executor = &executor_, .clips = &clips_};
}

void TestScene::Write(std::string_view name, std::string_view text) {
  const absl::Status status = memory_->Put(Concat("/", name), Concat("#usda 1.0\n", text));
  EXPECT_TRUE(status.ok()) << status;
}

std::shared_ptr<const Stage> TestScene::Open(std::string_view root, StageOptions options) {
  options.root = Concat("/", root);
  auto stage = Stage::Open(context_, environment_, std::move(options));
  EXPECT_TRUE(stage.ok()) << stage.status();
  return stage.ok() ? *std::move(stage) : nullptr;
}

ClipEnvironment& TestScene::UseClips(ClipEnvironment::Options options) {
  EXPECT_FALSE(other_clips_.has_value());
  environment_.clips = &other_clips_.emplace(registry_, std::move(options));
  return *other_clips_;
}

Path P(std::string_view text) {
  const auto path = Path::Parse(text);
  EXPECT_TRUE(path.ok()) << path.status();
  return path.value_or(Path());
}

}  // namespace stagedoor
