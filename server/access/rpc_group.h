#ifndef STAGEDOOR_SERVER_ACCESS_RPC_GROUP_H_
#define STAGEDOOR_SERVER_ACCESS_RPC_GROUP_H_

#include <array>
#include <string_view>

namespace stagedoor::server {

// The methods that are granted together.
enum class RpcGroup {
  kQuery,  // opens stages and reads from them
  kEdit,   // changes sessions
  kTools,  // works on whole stages or layer files: flatten, localize, stitch, read a layer
  kAdmin,  // the daemon itself: caches, connections, configuration; reflection
};
inline constexpr std::array<std::string_view, 4> kRpcGroupNames = {"query", "edit", "tools",
                                                                   "admin"};

// Calls that wait are admitted by class, the first one first.
enum class PriorityClass { kInteractive, kNormal, kBatch };
inline constexpr std::array<std::string_view, 3> kPriorityClassNames = {"interactive", "normal",
                                                                        "batch"};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_RPC_GROUP_H_
