#ifndef STAGEDOOR_CLIENT_CC_STREAM_CARRIER_H_
#define STAGEDOOR_CLIENT_CC_STREAM_CARRIER_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/frame_reader.h"
#include "client/cc/frame_carrier.h"
#include "client/cc/retry_policy.h"
#include "client/cc/shared_segments.h"

namespace stagedoor {

// Query frames on a bidirectional call of gRPC (QueryChannelService). What comes is taken from gRPC
// as it arrives; frames that cannot be sent yet wait, and are then sent in one message.
class StreamCarrier final : public FrameCarrier {
 public:
  using Opened = absl::StatusOr<std::unique_ptr<FrameCarrier>>;

  // Starts the call, whose deadline and metadata are in `context`. `done` runs once, on any thread
  // and possibly before Open returns: when the daemon has sent its first message, or with the error
  // if the call ends before, or after `patience`. The clock must outlive the call.
  //
  // `last` is destroyed last of all, once neither the carrier nor gRPC has the call any more.
  // The owner of the channel waits for that: gRPC would otherwise destroy the channel on one of the
  // threads that it ends with it.
  static void Open(const std::shared_ptr<grpc::Channel>& channel,
                   std::unique_ptr<grpc::ClientContext> context, RetryClock& clock,
                   std::chrono::milliseconds patience, std::shared_ptr<void> last,
                   std::function<void(Opened)> done);
  ~StreamCarrier() override;
  StreamCarrier(const StreamCarrier&) = delete;
  StreamCarrier& operator=(const StreamCarrier&) = delete;

  size_t Send(std::string_view messages) override;
  bool Read(Clock::time_point deadline, bool can_send, FrameReader& reader,
            SharedSegments& segments) override;
  void Shutdown() override;
  Kind kind() const override { return Kind::kStream; }

 private:
  class Call;
  explicit StreamCarrier(std::shared_ptr<Call> call) : call_(std::move(call)) {}

  const std::shared_ptr<Call> call_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_STREAM_CARRIER_H_
