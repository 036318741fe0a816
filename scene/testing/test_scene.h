// TestScene: tiny scenes for tests, written inline as text layers and opened through the memory
// resolver.
#ifndef STAGEDOOR_SCENE_TESTING_TEST_SCENE_H_
#define STAGEDOOR_SCENE_TESTING_TEST_SCENE_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/request_context.h"
#include "base/thread_pool_executor.h"
#include "resolver/memory/memory_resolver.h"
#include "scene/clips/clip_environment.h"
#include "scene/layer/layer_registry.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/stage.h"

namespace stagedoor {

class TestScene {
 public:
  TestScene();

  // Adds or replaces the text layer "/NAME". "#usda 1.0" is put in front.
  void Write(std::string_view name, std::string_view text);

  // Opens "/NAME"; a test failure (and null) when it does not open.
  std::shared_ptr<const Stage> Open(std::string_view root, StageOptions options = {});

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
  StageEnvironment environment_;
  RequestContext context_;  // last: it may hold stages that were given up
};

// The path of a literal, which must be well-formed.
Path P(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_TESTING_TEST_SCENE_H_
