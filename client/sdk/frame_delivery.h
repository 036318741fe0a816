#ifndef STAGEDOOR_CLIENT_SDK_FRAME_DELIVERY_H_
#define STAGEDOOR_CLIENT_SDK_FRAME_DELIVERY_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "client/sdk/frame_contents.h"
#include "client/sdk/outcome.h"

namespace stagedoor::sdk {

// Applies the messages of ExtractFrame to the contents of a frame, and passes on what each has
// brought. A call that is repeated reads the snapshot of the first attempt: then its messages bring
// the same parts, which may be applied again. Not thread-safe.
class FrameDelivery {
 public:
  using Sink = std::function<absl::Status(const FrameChanges&)>;

  // `contents` must outlive the delivery.
  FrameDelivery(FrameContents& contents, Sink sink) : contents_(contents), sink_(std::move(sink)) {}

  // Begins an attempt about a stage.
  void Begin(v1::StageRef stage, v1::ExtractFrameRequest* request);
  // Takes the next message of the attempt.
  absl::Status Take(const v1::ExtractFrameResponse& message);
  // The outcome of the attempt. DATA_LOSS if it has ended without a token.
  Outcome Finish(absl::Status status);

  // Whether messages were applied.
  bool begun() const { return !snapshot_.empty(); }
  // The token of the frame, once the last attempt has succeeded.
  const std::string& token() const { return token_; }

 private:
  FrameContents& contents_;
  const Sink sink_;
  std::string snapshot_;  // empty until a message has named it
  std::string token_;
  bool complete_ = false;  // whether what the frame had before was dropped
  bool failed_ = false;    // whether the sink or the contents have refused a message
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FRAME_DELIVERY_H_
