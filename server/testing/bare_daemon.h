#ifndef STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_
#define STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_

#include <memory>
#include <utility>

#include "base/executor.h"
#include "resolver/resolver.h"
#include "scene/engine/local_engine.h"
#include "server/handlers/server_state.h"

namespace stagedoor::server {

// The state of a daemon, without the daemon. No other work runs at the same time, so a request
// always does the same steps.
struct BareDaemon {
  explicit BareDaemon(std::shared_ptr<const Resolver> resolver, ServerLimits limits = {})
      : engine(LocalEngine::Create({.resolver = std::move(resolver)}, executor).value()),
        stages(engine->environment(), {}, &engine->sources()),
        state{engine->layers(), stages, leases, sessions, opened, limits} {}

  InlineExecutor executor;
  const std::unique_ptr<LocalEngine> engine;
  StageCache stages;
  LeaseTable leases{LeaseOptions()};
  SessionTable sessions;
  RequestIdTable opened{RequestIdTable::Options()};
  ServerState state;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_
