#ifndef STAGEDOOR_SERVER_TESTING_BARE_REPLICA_H_
#define STAGEDOOR_SERVER_TESTING_BARE_REPLICA_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/request_scope.h"
#include "resolver/resolver.h"
#include "server/access/caller.h"
#include "server/handlers/stage_handlers.h"
#include "server/sharing/session_sharing.h"
#include "server/store/testing/memory_session_store.h"
#include "server/testing/bare_daemon.h"

namespace stagedoor::server {

// A replica without a network, whose calls and other work run on the caller's thread.
struct BareReplica {
  BareReplica(std::shared_ptr<const Resolver> resolver, std::shared_ptr<SharedRecords> records,
              const SessionSharing::Options& options = {},
              const StageCacheOptions& stage_options = {})
      : daemon(std::move(resolver), {}, stage_options),
        store(std::move(records)),
        sharing(store,
                {.assets = daemon.state.Get<AssetState>(),
                 .leases = daemon.leases,
                 .sessions = daemon.sessions,
                 .follower = daemon.follower},
                daemon.executor, options),
        state(daemon.Objects(sharing), {}) {}

  const SessionState& session_state() const { return state.Get<SessionState>(); }

  // The handle of a new lease.
  std::string Open(const v1::OpenStageRequest& request) {
    v1::OpenStageResponse response;
    RequestContext context;
    const absl::Status status = OpenStage(session_state(), context, request, &response);
    EXPECT_TRUE(status.ok()) << status;
    return response.handle();
  }
  std::string Open(const std::string& root_layer) {
    v1::OpenStageRequest request;
    request.set_root_layer(root_layer);
    return Open(request);
  }
  std::string OpenAs(const Caller& caller, const v1::OpenStageRequest& request) {
    const RequestScope::Guard guard(RequestScope::Current().WithCaller(&caller));
    return Open(request);
  }
  void Close(const std::string& handle) {
    v1::CloseStageRequest request;
    request.set_handle(handle);
    v1::CloseStageResponse response;
    RequestContext context;
    EXPECT_TRUE(CloseStage(session_state(), context, request, &response).ok());
  }

  BareDaemon daemon;
  MemorySessionStore store;
  SessionSharing sharing;
  const ServerState state;  // with what is shared, which that of `daemon` lacks
};

// A caller who may read what is below a directory.
inline Caller MakeCaller(const std::string& name, const std::string& root) {
  auto grants = std::make_shared<Grants>();
  grants->assets = AccessScope::Create(std::vector<std::string>{root}).value();
  return {.identity = {.name = name}, .grants = std::move(grants)};
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_BARE_REPLICA_H_
