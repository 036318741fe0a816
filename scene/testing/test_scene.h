#ifndef STAGEDOOR_SCENE_TESTING_TEST_SCENE_H_
#define STAGEDOOR_SCENE_TESTING_TEST_SCENE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/request_context.h"
#include "base/testing/thread_pool_executor.h"
#include "resolver/memory/memory_resolver.h"
#include "scene/clips/clip_environment.h"
#include "scene/layer/layer_registry.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Tiny scenes for tests, written inline as usda text and opened with the memory resolver.
class TestScene {
 public:
  TestScene();

  // Adds or replaces the layer "/NAME". `text` is usda without the "#usda 1.0" line.
  void Write(std::string_view name, std::string_view text);

  void Remove(std::string_view name) { memory_->Remove(Concat("/", name)); }

  // Opens the stage of "/NAME". If that fails, records a test failure and returns null.
  std::shared_ptr<const Stage> Open(std::string_view root, StageOptions options = {});

  // Stages that are opened from now on use other clips, with these options, which last as long as
  // the scene. To be called once.
  ClipEnvironment& UseClips(ClipEnvironment::Options options);

  RequestContext& context() { return context_; }
  LayerRegistry& layers() { return registry_; }
  ClipEnvironment& clips() { return clips_; }
  const StageEnvironment& environment() const { return environment_; }
  StageEnvironment& mutable_environment() { return environment_; }

 private:
  std::shared_ptr<MemoryResolver> memory_;
  LayerRegistry registry_;
  std::shared_ptr<const SchemaRegistry> schemas_;
  ThreadPoolExecutor executor_;
  ClipEnvironment clips_;
  std::optional<ClipEnvironment> other_clips_;
  StageEnvironment environment_;
  RequestContext context_;  // destroyed first, because it may hold discarded stages
};

// Parses a path literal, which must be well-formed.
Path P(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_TESTING_TEST_SCENE_H_
