#include "server/rpc/call_origin.h"

#include <functional>

namespace stagedoor::server {
namespace {

bool IsUnixSocket(std::string_view peer) { return peer.starts_with("unix"); }

std::string_view WithoutPort(std::string_view peer) {
  if (IsUnixSocket(peer)) return "unix";
  return peer.substr(0, peer.rfind(':'));
}

}  // namespace

CallOrigin OriginOf(const Caller* caller, std::string_view peer) {
  CallOrigin origin;
  origin.connection = std::hash<std::string_view>()(peer);
  if (caller == nullptr) {
    origin.share = WithoutPort(peer);
    return origin;
  }
  origin.share = caller->share;
  if (caller->grants != nullptr) origin.priority = caller->grants->priority;
  if (IsUnixSocket(peer)) origin.connection = std::hash<const Caller*>()(caller);
  return origin;
}

}  // namespace stagedoor::server
