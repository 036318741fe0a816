#ifndef STAGEDOOR_CLIENT_CC_ROUTING_TABLE_H_
#define STAGEDOOR_CLIENT_CC_ROUTING_TABLE_H_

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"

namespace stagedoor {

// The routing keys of the stages that a client has opened, by handle, which it sends with all later
// calls for a stage (see StagesService in stages.proto). Thread-safe.
class RoutingTable {
 public:
  // The metadata key of routing keys.
  static constexpr char kMetadataKey[] = "stagedoor-routing-key";

  static constexpr size_t kMaxHandles = 10000;

  void Add(const std::string& handle, const std::string& routing_key);
  void Remove(const std::string& handle);
  // The routing key of a handle; empty if the handle is unknown.
  std::string Find(std::string_view handle) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  mutable Mutex mu_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> keys_ ABSL_GUARDED_BY(mu_);
};

// The handle of the stage that a request is about, in the request; empty if it is about none.
template <typename Request>
std::string_view HandleOf(const Request& request) {
  if constexpr (requires { request.stage().handle(); }) {
    return request.stage().handle();
  } else if constexpr (requires { request.handle(); }) {
    return request.handle();
  } else if constexpr (requires { request.source().stage().handle(); }) {
    return request.source().stage().handle();
  } else {
    return {};
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ROUTING_TABLE_H_
