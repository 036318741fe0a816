#ifndef STAGEDOOR_SERVER_HANDLERS_FOLLOW_CHANGES_H_
#define STAGEDOOR_SERVER_HANDLERS_FOLLOW_CHANGES_H_

#include <memory>

#include "server/handlers/server_state.h"
#include "server/stages/stage_follower.h"

namespace stagedoor::server {

// To be called when a client was given a session, and after each edit of it. No effect unless the
// session follows changes.
inline void FollowChanges(ServerState& state, const std::shared_ptr<StageSession>& session) {
  if (session->policy() != ChangePolicy::kFollow || state.follower == nullptr) return;
  state.follower->Follow(session);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_FOLLOW_CHANGES_H_
