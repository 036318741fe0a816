#ifndef STAGEDOOR_CLIENT_CC_ROUTING_TABLE_H_
#define STAGEDOOR_CLIENT_CC_ROUTING_TABLE_H_

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "base/mutex.h"
#include "stagedoor/v1/stages.pb.h"

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

// The stage of a request that may also open one; null if the request has no such field.
template <typename Request>
const v1::StageSource* StageSourceIn(const Request& request) {
  if constexpr (requires { request.source().open(); }) {
    return &request.source();
  } else if constexpr (requires { request.clip_set().stage().open(); }) {
    return &request.clip_set().stage();
  } else {
    return nullptr;
  }
}

// The handle of the stage that a request is about, in the request; empty if it names none.
template <typename Request>
std::string_view HandleOf(const Request& request) {
  if constexpr (requires { request.stage().handle(); }) {
    return request.stage().handle();
  } else if constexpr (requires { request.handle(); }) {
    return request.handle();
  } else {
    const v1::StageSource* const source = StageSourceIn(request);
    return source == nullptr ? std::string_view() : source->stage().handle();
  }
}

// The root layer that a request opens, in the request; empty if it opens none.
template <typename Request>
std::string_view RootLayerOf(const Request& request) {
  if constexpr (std::is_same_v<Request, v1::OpenStageRequest>) {
    return request.root_layer();
  } else {
    const v1::StageSource* const source = StageSourceIn(request);
    return source == nullptr ? std::string_view() : source->open().root_layer();
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ROUTING_TABLE_H_
