#ifndef STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_
#define STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_

#include <memory>
#include <utility>

#include "base/executor.h"
#include "resolver/resolver.h"
#include "scene/engine/local_engine.h"
#include "server/handlers/server_state.h"
#include "server/stages/path_set_store.h"
#include "server/stages/stage_watches.h"
#include "server/testing/fake_admin_control.h"

namespace stagedoor::server {

// The state of a daemon, without the daemon. No other work runs at the same time, so a request
// always does the same steps.
struct BareDaemon {
  explicit BareDaemon(std::shared_ptr<const Resolver> resolver, ServerLimits limits = {},
                      const StageCacheOptions& stage_options = {})
      : engine(LocalEngine::Create({.resolver = std::move(resolver)}, executor).value()),
        stages(engine->environment(), stage_options, &engine->sources()),
        state{.layers = engine->layers(),
              .stages = stages,
              .leases = leases,
              .sessions = sessions,
              .opened = opened,
              .path_sets = path_sets,
              .limits = limits,
              .control = &control,
              .watches = &watches} {}

  InlineExecutor executor;
  const std::unique_ptr<LocalEngine> engine;
  StageCache stages;
  LeaseTable leases{LeaseOptions()};
  SessionTable sessions;
  RequestIdTable opened{RequestIdTable::Options()};
  PathSetStore path_sets{stages.budget().shared_account(), PathSetStore::Options()};
  FakeAdminControl control;
  StageWatches watches{StageWatches::Options()};
  ServerState state;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_
