#ifndef STAGEDOOR_SERVER_SCENES_H_
#define STAGEDOOR_SERVER_SCENES_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "base/executor.h"
#include "resolver/resolver.h"
#include "scene/engine/local_engine.h"
#include "server/frame_memory/frame_memory.h"
#include "server/memory/memory_pressure.h"
#include "server/server_options.h"
#include "server/stages/lease_table.h"
#include "server/stages/path_set_store.h"
#include "server/stages/request_id_table.h"
#include "server/stages/session_table.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

// The engine, and the objects in which handlers keep its results for clients. The members are in
// the order of their lifetimes; each says whether it is thread-safe. The pointers are set by Open.
struct Scenes {
  // Creates the engine, which schedules its work on the executor. `holders` are further owners of
  // memory, besides these, that a shortage empties. Call it once.
  absl::Status Open(const ServerOptions& options, std::shared_ptr<const Resolver> resolver,
                    Executor& executor, std::vector<MemoryPressure::Step> holders);

  std::shared_ptr<MemoryPool> memory;  // outlives the engine: StageBudget::shared_pool
  std::unique_ptr<LocalEngine> engine;
  std::unique_ptr<StageCache> stages;
  std::unique_ptr<PathSetStore> path_sets;
  std::unique_ptr<FrameMemory> frames;
  std::unique_ptr<MemoryPressure> pressure;  // null without a memory limit
  std::unique_ptr<LeaseTable> leases;
  SessionTable sessions;
  RequestIdTable opened{RequestIdTable::Options()};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SCENES_H_
