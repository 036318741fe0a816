#include "benchmarks/bench_engine.h"

#include <latch>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/thread_pool_executor.h"
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

BenchEngine::BenchEngine(bool one_thread) : executor_(MakeExecutor(one_thread)) { MakeEngine(); }

BenchEngine::~BenchEngine() { FinishScheduledWork(); }

void BenchEngine::FinishScheduledWork() {
  // Work starts in order: once each thread has arrived here, all earlier work has ended.
  const int threads = executor_->concurrency();
  const auto here = std::make_shared<std::latch>(threads);
  for (int i = 0; i < threads; ++i) executor_->Schedule([here] { here->arrive_and_wait(); });
  here->wait();
}

void BenchEngine::MakeEngine() {
  LocalEngineOptions options;
  options.layers.cache.max_bytes = size_t{2} << 30;
  if (engine_) options.schemas = engine_->schemas();
  engine_ = nullptr;
  engine_ = ValueOrEnd(LocalEngine::Create(std::move(options), *executor_), "the engine");
}

void BenchEngine::DropLayers() {
  FinishScheduledWork();
  MakeEngine();
}

std::shared_ptr<const Stage> BenchEngine::Open(const std::string& root, LoadRules load) {
  StageOptions options;
  options.root = root;
  options.load = std::move(load);
  return ValueOrEnd(Stage::Open(context(), engine_->environment(), std::move(options)), root);
}

std::shared_ptr<const Layer> BenchEngine::OpenLayer(const std::string& file) {
  return ValueOrEnd(engine_->layers().Open(context(), file), file);
}

}  // namespace stagedoor::bench
