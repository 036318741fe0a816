#ifndef STAGEDOOR_SERVER_QUERY_STREAM_QUERY_STREAM_H_
#define STAGEDOOR_SERVER_QUERY_STREAM_QUERY_STREAM_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/reservation.h"
#include "server/access/caller.h"
#include "server/query_socket/query_channel.h"
#include "server/query_stream/frame_messages.h"
#include "server/rpc/call.h"
#include "server/rpc/stall_watchdog.h"
#include "server/stages/client_places.h"

namespace stagedoor::server {

using QueryReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// A channel on a bidirectional call of gRPC, the counterpart of QueryConnection. One message is
// read at a time, and its frames are carried out in turns: the first on the thread of gRPC that
// has read it, further ones on the executor, so that a client that sends without pause does not
// keep that thread. Answers of a turn are sent together at its end. While the client does not read
// them nothing is read from it either, and the StallWatchdog ends the call.
//
// An idle stream has no thread and is not a call in flight. gRPC holds the object until OnDone, its
// queries as long as they run.
class QueryStream final : public QueryReactor, public QueryChannel, private StallWatchdog::Writer {
 public:
  // The admitted call, and its place among the streams.
  struct Admitted {
    std::unique_ptr<Call> call;
    std::unique_ptr<ClientPlaces::Place> place;
  };

  // `context` is that of the call. `done` is called once gRPC is done with it.
  QueryStream(ChannelHost& host, uint64_t number, grpc::CallbackServerContext* context,
              Admitted admitted, std::function<void()> done);
  ~QueryStream() override = default;

  // Begins: sends the window, and reads.
  void Open();

  // Sends a Goodbye, and ends the call and its queries.
  void AskToLeave(const absl::Status& reason);

 private:
  // The reactions of gRPC. OnDone is the last of them.
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Takes the message that was read.
  absl::Status Receive();
  // One turn of carrying out frames. The calling thread must be counted in users_.
  void Turn();
  // Carries out frames until none are left in the message, or the turn is over. False if it is
  // over, or the stream has ended.
  bool HandleFrames();
  // Whether the turn ends because of answers that the client does not read; it is taken up again
  // once it has read some.
  bool Pause();
  // Ends the use that a turn makes of the stream.
  void Leave();

  // Sends what waits, or else finishes the call if it has ended.
  void Settle();
  bool ended();
  // Ends the call with a status, behind a Goodbye. No effect if it has ended.
  void End(const absl::Status& reason);
  // Ends a call whose client is gone.
  void Abandon(const absl::Status& reason);

  std::string_view peer() const override { return peer_; }
  bool shares_memory() const override { return false; }
  absl::StatusOr<std::shared_ptr<const Caller>> Identify() override;
  absl::Status Send(const v1::ServerFrame& frame) override;
  void SendSmall(const v1::ServerFrame& frame) override;
  void SendDescriptor(const v1::ServerFrame& frame, int fd) override;
  void Flush() override { Settle(); }
  void OnAllAnswered() override { Settle(); }
  void AbortStalled(std::chrono::seconds timeout) override;

  grpc::CallbackServerContext* const context_;  // gRPC's, until OnDone
  const std::string peer_;
  Admitted admitted_;
  const std::function<void()> done_;
  std::shared_ptr<QueryChannel> self_;  // held for gRPC
  std::atomic<int64_t> stalled_s_{0};   // how long the client did not read; 0 unless it is too long

  // For the thread whose turn it is.
  grpc::ByteBuffer request_;
  absl::Status refusal_;  // of the caller

  // The message that gRPC sends.
  grpc::ByteBuffer message_;

  Mutex mu_;
  FrameMessages waiting_ ABSL_GUARDED_BY(mu_);
  size_t sending_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  Reservation written_bytes_ ABSL_GUARDED_BY(mu_);
  bool writing_ ABSL_GUARDED_BY(mu_) = false;  // gRPC has message_
  // The threads that have a turn or begin to read: gRPC must not be done with the call before.
  int users_ ABSL_GUARDED_BY(mu_) = 0;
  bool paused_ ABSL_GUARDED_BY(mu_) = false;       // a turn goes on when the client has read
  bool half_closed_ ABSL_GUARDED_BY(mu_) = false;  // nothing comes any more
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mu_);
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_STREAM_QUERY_STREAM_H_
