#ifndef STAGEDOOR_SERVER_RPC_REPLY_TERMS_H_
#define STAGEDOOR_SERVER_RPC_REPLY_TERMS_H_

namespace stagedoor::server {

// How long the reply to a query of a snapshot stays right, which a node daemon has to know to keep
// it: docs/decisions/node-daemon.md.

// The key of the metadata by which a client asks for it.
inline constexpr char kAskReplyTerms[] = "stagedoor-ask-terms";
// The key of the trailing metadata of a reply that is a function of the request and the fingerprint
// of the snapshot. Others depend on value clips, too.
inline constexpr char kLastingReply[] = "stagedoor-lasting";

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_REPLY_TERMS_H_
