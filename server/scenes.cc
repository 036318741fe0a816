#include "server/scenes.h"

#include <spdlog/spdlog.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/freed_memory.h"
#include "base/memory_guard.h"
#include "base/status_macros.h"
#include "server/machine/machine_memory.h"
#include "server/memory/memory_holders.h"

namespace stagedoor::server {
namespace {

// Null if no memory limit is known.
std::unique_ptr<MemoryPressure> MakePressure(const ServerOptions& options,
                                             std::vector<MemoryPressure::Step> steps) {
  const std::optional<uint64_t> memory = EffectiveMemoryLimit(options);
  if (options.memory_limit == 0 || !memory) return nullptr;
  MemoryPressure::Options pressure;
  pressure.limits = MemoryPressureLimits(RequestMemoryLimit(*memory));
  pressure.used = MemoryInUse;
  pressure.return_to_system = ReturnFreedMemory;
  pressure.steps = std::move(steps);
  return std::make_unique<MemoryPressure>(std::move(pressure));
}

}  // namespace

absl::Status Scenes::Open(const ServerOptions& options, std::shared_ptr<const Resolver> resolver,
                          Executor& executor, std::vector<MemoryPressure::Step> holders) {
  LocalEngineOptions engine_options = EngineOptions(options);
  engine_options.resolver = std::move(resolver);
  engine_options.files.report = [](const std::string& text) { spdlog::warn("{}", text); };
  SD_ASSIGN_OR_RETURN(engine, LocalEngine::Create(engine_options, executor));
  for (const std::string& problem : engine->schema_problems()) spdlog::warn("{}", problem);
  stages = std::make_unique<StageCache>(engine->environment(), options.stages, &engine->sources());
  memory = stages->budget().shared_pool();
  path_sets = std::make_unique<PathSetStore>(memory, PathSetStore::Options());
  frames = std::make_unique<FrameMemory>(memory, FrameMemory::Options());
  const MemoryHolders own(*stages, *path_sets, *frames, &engine->remote());
  engine->remote().SetRelief([own] { own.DropAssets(); });
  std::vector<MemoryPressure::Step> steps = own.PressureSteps();
  steps.insert(steps.end(), std::make_move_iterator(holders.begin()),
               std::make_move_iterator(holders.end()));
  pressure = MakePressure(options, std::move(steps));
  leases = std::make_unique<LeaseTable>(options.leases);
  return absl::OkStatus();
}

}  // namespace stagedoor::server
