#ifndef STAGEDOOR_SERVER_UPSTREAM_REPLY_FETCH_H_
#define STAGEDOOR_SERVER_UPSTREAM_REPLY_FETCH_H_

#include <functional>
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

// Whether a caller may read what is kept of a stage: upstream has said so not long ago.
bool MayReadKept(Node& node, const NodeStage& stage, const ForwardedCaller& caller);
// Asks upstream. `done` gets OK if the caller may; also if it might an hour ago, and no upstream
// daemon can be reached.
void AskToReadKept(Node& node, const NodeSessions::Stage& stage, const ForwardedCaller& caller,
                   std::function<void(const grpc::Status&)> done);

// Whether an error of a fetch is about the caller for whom the reply was fetched, so that others
// have to ask for themselves.
bool ConcernsCaller(const grpc::Status& status);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_REPLY_FETCH_H_
