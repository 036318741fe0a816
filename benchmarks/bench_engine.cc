#include "benchmarks/bench_engine.h"

#include <latch>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/thread_pool_executor.h"
#include "benchmarks/require.h"
#include "resolver/file/file_resolver.h"
#include "resolver/search_path_resolver.h"
#include "scene/schema/schema_registry_builder.h"
#include "scene/usda/usda_format.h"
#include "scene/usdc/usdc_format.h"

namespace stagedoor::bench {
namespace {

std::unique_ptr<Executor> MakeExecutor(bool one_thread) {
  if (one_thread) return std::make_unique<InlineExecutor>();
  return std::make_unique<ThreadPoolExecutor>();
}

std::shared_ptr<const Resolver> MakeResolver() {
  auto files = FileResolver::Create({});
  Require(files.ok(), "cannot create the file resolver");
  return std::make_shared<SearchPathResolver>(*std::move(files), std::vector<std::string>());
}

template <typename T>
T ValueOrEnd(absl::StatusOr<T> result, const std::string& what) {
  if (!result.ok()) Require(false, what + ": " + std::string(Message(result.status())));
  return *std::move(result);
}

}  // namespace

BenchEngine::BenchEngine(bool one_thread)
    : executor_(MakeExecutor(one_thread)),
      resolver_(MakeResolver()),
      schemas_(SchemaRegistryBuilder().Build()) {
  MakeCaches();
}

BenchEngine::~BenchEngine() { FinishScheduledWork(); }

void BenchEngine::FinishScheduledWork() {
  // Work starts in order: once each thread has arrived here, all earlier work has ended.
  const int threads = executor_->concurrency();
  const auto here = std::make_shared<std::latch>(threads);
  for (int i = 0; i < threads; ++i) executor_->Schedule([here] { here->arrive_and_wait(); });
  here->wait();
}

void BenchEngine::MakeCaches() {
  LayerRegistry::Options options;
  options.cache.max_bytes = size_t{2} << 30;
  layers_ = std::make_unique<LayerRegistry>(
      resolver_, std::vector<LayerFormat>{UsdaFormat(), UsdcFormat()}, options);
  ClipEnvironment::Options clips;
  clips.executor = executor_.get();
  clips_ = std::make_unique<ClipEnvironment>(*layers_, std::move(clips));
  environment_.layers = layers_.get();
  environment_.schemas = schemas_.get();
  environment_.executor = executor_.get();
  environment_.clips = clips_.get();
}

void BenchEngine::DropLayers() {
  FinishScheduledWork();
  clips_.reset();
  layers_.reset();
  MakeCaches();
}

std::shared_ptr<const Stage> BenchEngine::Open(const std::string& root, LoadRules load) {
  StageOptions options;
  options.root = root;
  options.load = std::move(load);
  return ValueOrEnd(Stage::Open(context(), environment_, std::move(options)), root);
}

std::shared_ptr<const Layer> BenchEngine::OpenLayer(const std::string& file) {
  return ValueOrEnd(layers_->Open(context(), file), file);
}

}  // namespace stagedoor::bench
