#include "benchmarks/bench_engine.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/thread_pool_executor.h"
#include "benchmarks/require.h"

namespace stagedoor::bench {
namespace {

std::unique_ptr<Executor> MakeExecutor(bool one_thread) {
  if (one_thread) return std::make_unique<InlineExecutor>();
  return std::make_unique<ThreadPoolExecutor>();
}

template <typename T>
T ValueOrEnd(absl::StatusOr<T> result, const std::string& what) {
  if (!result.ok()) Require(false, what + ": " + std::string(Message(result.status())));
  return *std::move(result);
}

}  // namespace

BenchEngine::BenchEngine(bool one_thread) : executor_(MakeExecutor(one_thread)) { DropLayers(); }

void BenchEngine::DropLayers() {
  LocalEngineOptions options;
  options.layers.cache.max_bytes = size_t{2} << 30;
  if (engine_) options.schemas = engine_->schemas();
  engine_ = nullptr;
  engine_ = ValueOrEnd(LocalEngine::Create(options, *executor_), "the engine");
}

std::shared_ptr<const Stage> BenchEngine::Open(const std::string& root, LoadRules load) {
  StageOptions options;
  options.root = root;
  options.load = std::move(load);
  return ValueOrEnd(Stage::Open(context(), engine_->environment(), std::move(options)), root);
}

std::shared_ptr<const Layer> BenchEngine::OpenLayer(const std::string& file) {
  return ValueOrEnd(engine_->layers().Open(context(), {}, file), file);
}

}  // namespace stagedoor::bench
