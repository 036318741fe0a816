#ifndef STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_
#define STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_

#include <memory>
#include <utility>

#include "base/executor.h"
#include "base/lane_executor.h"
#include "resolver/resolver.h"
#include "scene/engine/local_engine.h"
#include "server/frame_memory/frame_memory.h"
#include "server/handlers/upstream_report.h"
#include "server/log/audit_sink.h"
#include "server/rpc/call_admission.h"
#include "server/services/server_state.h"
#include "server/sessions/shared_sessions.h"
#include "server/stages/path_set_store.h"
#include "server/stages/session_follower.h"
#include "server/stages/stage_watches.h"
#include "server/testing/fake_admin_control.h"

namespace stagedoor::server {

// The state of a daemon, without the daemon. No other work runs at the same time, so a request
// always does the same steps.
struct BareDaemon {
  explicit BareDaemon(std::shared_ptr<const Resolver> resolver, ServerLimits limits = {},
                      const StageCacheOptions& stage_options = {})
      : limits(limits),
        engine(LocalEngine::Create({.resolver = std::move(resolver)}, executor).value()),
        stages(engine->environment(), stage_options, &engine->sources()),
        state(Objects(unshared), {}) {}

  // The objects of a ServerState, with the sessions of other replicas.
  ServerObjects Objects(SharedSessions& sharing) {
    return {.layers = engine->layers(),
            .stages = stages,
            .leases = leases,
            .sessions = sessions,
            .opened = opened,
            .path_sets = path_sets,
            .frames = frames,
            .watches = watches,
            .follower = follower,
            .sharing = sharing,
            .remote = engine->remote(),
            .admission = admission,
            .audit = audit,
            .control = control,
            .upstream = upstream,
            .limits = limits};
  }

  const ServerLimits limits;
  InlineExecutor executor;
  const std::unique_ptr<LocalEngine> engine;
  StageCache stages;
  LeaseTable leases{LeaseOptions()};
  SessionTable sessions;
  RequestIdTable opened{RequestIdTable::Options()};
  PathSetStore path_sets{stages.budget().shared_pool(), PathSetStore::Options()};
  FrameMemory frames{stages.budget().shared_pool(), FrameMemory::Options()};
  FakeAdminControl control;
  StageWatches watches{StageWatches::Options()};
  IdleFollower follower;
  UnsharedSessions unshared;
  NoAudit audit;
  NoUpstream upstream;
  LaneExecutor lanes{{.threads = 1, .watch = false}};  // of calls that come over a network
  CallAdmission admission{lanes, {.max_bytes = 0, .all_bytes = 0}};
  const ServerState state;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_BARE_DAEMON_H_
