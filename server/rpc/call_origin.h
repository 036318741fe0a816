#ifndef STAGEDOOR_SERVER_RPC_CALL_ORIGIN_H_
#define STAGEDOOR_SERVER_RPC_CALL_ORIGIN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "server/access/caller.h"
#include "server/access/rpc_group.h"

namespace stagedoor::server {

// The origin of a call, which decides its place in the queue.
struct CallOrigin {
  PriorityClass priority = PriorityClass::kNormal;
  // The share of the caller; if no caller is known, the client's address without the port.
  std::string share;
  // A number that the calls of one connection share, and most likely no others.
  uint64_t connection = 0;
};

// `peer` is the client as gRPC names it: "ipv4:10.0.0.7:41000", "ipv6:%5B::1%5D:41000" or "unix:".
// The connections of a Unix socket all have the same name and differ by their caller only.
CallOrigin OriginOf(const Caller* caller, std::string_view peer);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_ORIGIN_H_
