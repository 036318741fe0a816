#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CALL_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "server/query_socket/channel_bindings.h"
#include "server/rpc/call.h"
#include "server/rpc/request_message.h"
#include "stagedoor/v1/frames.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

class ArrayPlacer;
class QueryOwner;

// One query of a channel, from its frame to its answer: the counterpart of UnaryCall for carriers
// that gRPC does not serve. A light query runs at once on the thread that read it, like a light
// call of gRPC; any other waits for its turn (CallQueue), and is then kept by its channel. It is
// answered exactly once.
class QueryCall final : private CallQueue::Step {
 public:
  QueryCall(std::shared_ptr<QueryOwner> channel, const v1::Query& query);

  uint64_t id() const { return id_; }

  // To be called once, by the thread that reads the channel. `self` is this object.
  void Start(const v1::Query& query, const ChannelBindings& bindings,
             const std::shared_ptr<QueryCall>& self);

  // Ends the query early. Thread-safe; for queries that the channel keeps.
  void Cancel();
  // As Cancel, if its deadline has passed.
  void CancelIfOverdue(RequestContext::Clock::time_point now) {
    if (call_.context().deadline() <= now) Cancel();
  }

 private:
  absl::Status Read(const v1::Query& query, const ChannelBindings& bindings);
  absl::Status Enqueue(bool light, const std::shared_ptr<QueryCall>& self);
  void RunStep() override;
  void RefuseStep(const absl::Status& status) override;
  // Makes the answer, and gives it to the channel.
  void Work();
  absl::Status Answer(ArrayPlacer* placer, v1::Answer* answer);
  void Fail(const absl::Status& status);

  const std::shared_ptr<QueryOwner> channel_;
  const uint64_t id_;
  const bool shares_segments_;
  Call call_;
  RequestMessage<v1::BatchGetValuesRequest> request_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CALL_H_
