#ifndef STAGEDOOR_BENCHMARKS_BENCH_ENGINE_H_
#define STAGEDOOR_BENCHMARKS_BENCH_ENGINE_H_

#include <array>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/request_context.h"
#include "scene/engine/local_engine.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

// The daemon's engine (LocalEngine) without the daemon, with caches that can be dropped.
//
// Not thread-safe; the stages it opens are thread-safe. Failures exit the process.
class BenchEngine {
 public:
  // If `one_thread`, everything runs on the calling thread; else there is one thread per core.
  explicit BenchEngine(bool one_thread);

  // The context of a request. Two concurrent requests have separate contexts.
  RequestContext& context(int half = 0) { return requests_[half].context; }
  Executor& executor() { return *executor_; }
  LayerRegistry& layers() { return engine_->layers(); }

  std::shared_ptr<const Stage> Open(const std::string& root, LoadRules load = LoadRules::All());
  std::shared_ptr<const Layer> OpenLayer(const std::string& file);
  // Drops all layers, including clip layers. All stages must have been destroyed.
  void DropLayers();

 private:
  // Aligned to avoid false sharing, as in the daemon.
  struct alignas(256) Request {
    RequestContext context;
  };

  std::array<Request, 2> requests_;
  const std::unique_ptr<Executor> executor_;
  std::unique_ptr<LocalEngine> engine_;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_BENCH_ENGINE_H_
