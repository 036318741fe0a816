#ifndef STAGEDOOR_SERVER_SESSIONS_FOLLOW_CHANGES_H_
#define STAGEDOOR_SERVER_SESSIONS_FOLLOW_CHANGES_H_

#include <memory>

#include "server/stages/session_follower.h"

namespace stagedoor::server {

// To be called when a client was given a session, and after each edit of it. No effect unless the
// session follows changes.
inline void FollowChanges(SessionFollower& follower, const std::shared_ptr<StageSession>& session) {
  if (session->policy() == ChangePolicy::kFollow) follower.Follow(session);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_FOLLOW_CHANGES_H_
