#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_BINDINGS_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_BINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "base/memory_pool.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// The stages and paths to which a client has given numbers on its channel, and the requests that
// its queries stand for. What is bound counts against the memory of the channel. Not thread-safe.
class ChannelBindings {
 public:
  static constexpr uint32_t kMaxStages = 65536;
  static constexpr uint32_t kMaxPaths = 1000000;  // of a stage

  // `memory` must outlive the object.
  explicit ChannelBindings(MemoryPool& memory) : reserved_(memory) {}

  // INVALID_ARGUMENT (INVALID_FIELD) for a number that is too large, a stage that is not bound, and
  // text that is not UTF-8; RESOURCE_EXHAUSTED if the channel has too much memory.
  absl::Status BindStage(const v1::BindStage& frame);
  absl::Status BindPaths(const v1::BindPaths& frame);
  absl::Status Unbind(const v1::Unbind& frame);

  // Fills the request that a query stands for. Its memory is reserved in `context` before.
  // INVALID_ARGUMENT (INVALID_FIELD) for numbers that are not bound.
  absl::Status FillRequest(const v1::Query& query, RequestContext& context,
                           v1::BatchGetValuesRequest* out) const;

 private:
  using Paths = std::unordered_map<uint32_t, std::string>;
  struct Stage {
    v1::StageRef ref;
    v1::Interpolation interpolation = v1::INTERPOLATION_UNSPECIFIED;
    Paths paths;
  };

  absl::Status UnbindPaths(const v1::PathRange& range);
  void Erase(Paths& paths, Paths::iterator path);

  Reservation reserved_;
  std::unordered_map<uint32_t, Stage> stages_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_BINDINGS_H_
