#ifndef STAGEDOOR_SERVER_SERVICES_SERVER_STATE_H_
#define STAGEDOOR_SERVER_SERVICES_SERVER_STATE_H_

#include <tuple>
#include <utility>

#include "server/frames/frame_state.h"
#include "server/handlers/admin_state.h"
#include "server/handlers/cache_state.h"
#include "server/handlers/daemon_state.h"
#include "server/handlers/path_set_state.h"
#include "server/sessions/asset_state.h"
#include "server/sessions/query_state.h"
#include "server/sessions/session_state.h"
#include "server/sessions/source_state.h"

namespace stagedoor::server {

// The objects that a server builds for its handlers. They are borrowed and outlive all calls.
struct ServerObjects {
  LayerRegistry& layers;
  StageCache& stages;
  LeaseTable& leases;
  SessionTable& sessions;
  RequestIdTable& opened;
  PathSetStore& path_sets;
  FrameMemory& frames;
  StageWatches& watches;
  SessionFollower& follower;
  SharedSessions& sharing;
  const RemoteBackends& remote;
  const CallAdmission& admission;
  AuditSink& audit;
  AdminControl& control;
  UpstreamReport& upstream;
  const ServerLimits& limits;
};

// The objects that each group of handlers works on. A handler gets the part that its first
// parameter names, so its signature says what it may touch. Outlives all calls.
class ServerState {
 public:
  ServerState(const ServerObjects& from, Capabilities capabilities)
      : assets_{.layers = from.layers,
                .stages = from.stages,
                .audit = from.audit,
                .limits = from.limits},
        queries_{.stages = from.stages,
                 .leases = from.leases,
                 .sharing = from.sharing,
                 .limits = from.limits},
        sources_{.assets = assets_, .queries = queries_},
        sessions_{.assets = assets_,
                  .queries = queries_,
                  .sessions = from.sessions,
                  .opened = from.opened,
                  .follower = from.follower,
                  .watches = from.watches},
        path_sets_{.path_sets = from.path_sets, .limits = from.limits},
        frames_{.queries = queries_, .memory = from.frames},
        caches_{.layers = from.layers,
                .stages = from.stages,
                .path_sets = from.path_sets,
                .frames = from.frames,
                .remote = from.remote,
                .upstream = from.upstream,
                .limits = from.limits},
        daemon_{.layers = from.layers,
                .stages = from.stages,
                .leases = from.leases,
                .follower = from.follower,
                .admission = from.admission,
                .upstream = from.upstream,
                .limits = from.limits,
                .capabilities = std::move(capabilities)},
        admin_{.control = from.control,
               .admission = from.admission,
               .audit = from.audit,
               .caches = caches_} {}
  ServerState(const ServerState&) = delete;
  ServerState& operator=(const ServerState&) = delete;

  // The part of a type.
  template <typename Part>
  const Part& Get() const {
    return *std::get<const Part*>(parts_);
  }

 private:
  const AssetState assets_;
  const QueryState queries_;
  const SourceState sources_;
  const SessionState sessions_;
  const PathSetState path_sets_;
  const FrameState frames_;
  const CacheState caches_;
  const DaemonState daemon_;
  const AdminState admin_;
  const std::tuple<const AssetState*, const QueryState*, const SourceState*, const SessionState*,
                   const PathSetState*, const FrameState*, const CacheState*, const DaemonState*,
                   const AdminState*>
      parts_{&assets_, &queries_, &sources_, &sessions_, &path_sets_,
             &frames_, &caches_,  &daemon_,  &admin_};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_SERVER_STATE_H_
