#ifndef STAGEDOOR_CLIENT_CC_STREAM_RECEIVER_H_
#define STAGEDOOR_CLIENT_CC_STREAM_RECEIVER_H_

#include <google/protobuf/message_lite.h>

#include <functional>

#include "absl/status/status.h"
#include "base/status.h"
#include "client/cc/client_options.h"
#include "client/cc/stream_assembler.h"

namespace stagedoor {

// Takes the messages of one attempt at a stream. Not thread-safe.
class StreamReceiver {
 public:
  virtual ~StreamReceiver() = default;

  // Where the next message is to be read.
  virtual google::protobuf::MessageLite* message() = 0;
  // Takes the message that was read. If it completes one, passes that on, and *delivered is true.
  // Any error ends the stream.
  virtual absl::Status Take(bool* delivered) = 0;
  // The status of a stream that has ended successfully.
  virtual absl::Status End() const = 0;
};

// Passes whole messages to a sink (Client::Sink), which must outlive the object.
template <typename Response>
class SinkReceiver final : public StreamReceiver {
 public:
  using Sink = std::function<absl::Status(const Response&)>;

  SinkReceiver(const ClientOptions& options, const Sink& sink) : assembler_(options), sink_(sink) {}

  google::protobuf::MessageLite* message() override { return &message_; }
  absl::Status Take(bool* delivered) override {
    const absl::StatusOr<bool> whole = assembler_.Take(&message_);
    if (!whole.ok()) return whole.status();
    if (!*whole) return absl::OkStatus();
    *delivered = true;
    return sink_(message_);
  }
  absl::Status End() const override {
    if (!assembler_.in_progress()) return absl::OkStatus();
    return DataLossError("the daemon ended a stream in the middle of a message");
  }

 private:
  StreamAssembler<Response> assembler_;
  const Sink& sink_;
  Response message_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_STREAM_RECEIVER_H_
