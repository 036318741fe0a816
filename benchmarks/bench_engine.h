// BenchEngine is the engine without the daemon, assembled like in server/engine.cc.
#ifndef STAGEDOOR_BENCHMARKS_BENCH_ENGINE_H_
#define STAGEDOOR_BENCHMARKS_BENCH_ENGINE_H_

#include <array>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/request_context.h"
#include "scene/clips/clip_environment.h"
#include "scene/layer/layer_registry.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

// Not thread-safe; the stages it opens are thread-safe. Failures exit the process.
class BenchEngine {
 public:
  // If `one_thread`, everything runs on the calling thread; else there is one thread per core.
  explicit BenchEngine(bool one_thread);
  ~BenchEngine();

  // The context of a request. Two concurrent requests have separate contexts.
  RequestContext& context(int half = 0) { return requests_[half].context; }
  Executor& executor() { return *executor_; }
  LayerRegistry& layers() { return *layers_; }

  std::shared_ptr<const Stage> Open(const std::string& root, LoadRules load = LoadRules::All());
  std::shared_ptr<const Layer> OpenLayer(const std::string& file);
  // Drops all layers, including clip layers. All stages must have been destroyed.
  void DropLayers();

 private:
  // Aligned to avoid false sharing, as in the daemon.
  struct alignas(256) Request {
    RequestContext context;
  };

  void MakeCaches();
  // Waits for clip prefetches, which use what is destroyed next.
  void FinishScheduledWork();

  std::array<Request, 2> requests_;
  const std::unique_ptr<Executor> executor_;
  const std::shared_ptr<const Resolver> resolver_;
  const std::shared_ptr<const SchemaRegistry> schemas_;
  std::unique_ptr<LayerRegistry> layers_;
  std::unique_ptr<ClipEnvironment> clips_;
  StageEnvironment environment_;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_BENCH_ENGINE_H_
