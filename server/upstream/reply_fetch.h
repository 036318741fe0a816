#ifndef STAGEDOOR_SERVER_UPSTREAM_REPLY_FETCH_H_
#define STAGEDOOR_SERVER_UPSTREAM_REPLY_FETCH_H_

#include <memory>
#include <string>

#include "server/upstream/node.h"
#include "server/upstream/node_sessions.h"
#include "server/upstream/shared_reply.h"
#include "server/upstream/stage_request.h"

namespace stagedoor::server {

// The reply to a request of a process, which the reader that was passed has joined.
struct JoinedReply {
  std::shared_ptr<SharedReply> reply;
  // Whether it is fetched for this request. Then the request belongs to the call upstream.
  bool fetched = false;
};

// The reply to a query of a snapshot: one that is kept or arrives for another request, or else one
// that is fetched now. May wake the reader before it returns.
JoinedReply JoinKeptReply(Node& node, const std::shared_ptr<StageRequest>& request,
                          const NodeSessions::Stage& stage, const std::string& snapshot,
                          ReplyReader* reader);

// The reply to a request that is passed on for its caller alone. It begins to arrive with its
// Start. `stage` is null for a request that names none of this node daemon.
JoinedReply JoinOwnReply(Node& node, const std::shared_ptr<StageRequest>& request,
                         const NodeSessions::Stage& stage, ReplyReader* reader);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_REPLY_FETCH_H_
