#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CALL_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "server/query_socket/channel_bindings.h"
#include "server/query_socket/query_source.h"
#include "server/rpc/call.h"
#include "server/rpc/request_message.h"
#include "stagedoor/v1/frames.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

class ArrayPlacer;
class QueryOwner;

// One query of a channel, from its frame to its answer: the counterpart of UnaryCall for carriers
// that gRPC does not serve. A light query runs at once on the thread that read it, like a light
// call of gRPC; any other waits for its turn (CallQueue), and is then kept by its channel. If there
// is a QuerySource, it waits for that instead. It is answered exactly once.
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
  class AskedQuery;

  absl::Status Read(const v1::Query& query, const ChannelBindings& bindings);
  absl::Status Enqueue(bool light, const std::shared_ptr<QueryCall>& self);
  // Waits for a thread of a lane.
  absl::Status AddToQueue(bool light);
  // Asks the source.
  void Ask(const std::shared_ptr<QueryCall>& self);
  void TakeReply(const absl::Status& status, grpc::ByteBuffer* reply);
  // Answers with the reply of the source: at once, or on a thread of a lane if it is large.
  // `reading`: on the thread that reads the channel, and sends what it answers at the end of its
  // turn.
  void AnswerReply(bool reading);
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

  // The answer of the source, of the thread that brings it.
  absl::Status reply_status_;
  grpc::ByteBuffer reply_;

  Mutex mu_;
  // While the source is asked and has not answered; null until Ask is done with it.
  std::shared_ptr<QuerySource::Pending> pending_ ABSL_GUARDED_BY(mu_);
  bool asking_ ABSL_GUARDED_BY(mu_) = false;
  bool has_reply_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CALL_H_
