#ifndef STAGEDOOR_CLIENT_SDK_FRAME_H_
#define STAGEDOOR_CLIENT_SDK_FRAME_H_

#include <functional>
#include <future>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/sdk/frame_contents.h"  // IWYU pragma: export
#include "client/sdk/frame_options.h"   // IWYU pragma: export
#include "client/sdk/stage_view.h"

namespace stagedoor::sdk {

// Everything that a renderer draws of a stage at one time, and what changes from one time to the
// next:
//
//   sdk::Frame frame = stage.Frame({.camera = "/World/Cam", .shutter = {{-0.25, 0.25}}});
//   for (int time = 1; time <= 48; ++time) {
//     absl::StatusOr<sdk::FrameChanges> changes = frame.Next(time);
//     …
//     for (sdk::FrameId id : changes->transforms) Move(id, frame->places().at(id));
//   }
//
// It holds the objects of the last frame, and the daemon sends only those that differ in the next
// one, which may be at any time. Copies refer to the same frame. One call at a time:
// FAILED_PRECONDITION while another one has not ended. The objects may be read from any thread
// between calls, and by the sink of a call. Keeps its stage open.
class Frame {
 public:
  // Receives what a message has brought, whose objects are in the frame by then. Any status but OK
  // ends the call with it.
  using Sink = std::function<absl::Status(const FrameChanges&)>;
  using Done = std::function<void(absl::Status)>;

  // Gets the frame at a time. If it fails, the frame is not to be used before another call has
  // succeeded, which brings all of it. If the connection breaks, the call is made again, of the
  // same snapshot: SNAPSHOT_GONE if that is not to be had any more.
  absl::StatusOr<FrameChanges> Next(const TimeCode& time, const CallOptions& call = {});
  // As Next, with a sink for the messages as they arrive: prims come in batches, with what they
  // need. Runs on the calling thread. If the connection breaks, changes may be passed on again.
  absl::Status NextInParts(const TimeCode& time, const Sink& sink, const CallOptions& call = {});
  // As NextInParts, without waiting: `sink` runs on threads of the library, one message at a time,
  // and then `done` once. Neither may block.
  void NextAsync(const TimeCode& time, Sink sink, Done done, const CallOptions& call = {});
  // As Next, without waiting.
  std::future<absl::StatusOr<FrameChanges>> NextAsync(const TimeCode& time,
                                                      const CallOptions& call = {});

  // The fingerprint of the frame at a time, 32 bytes: frames of equal fingerprints are equal in
  // every bit, but for their time. Neither reads nor changes what this object holds.
  absl::StatusOr<std::string> GetFingerprint(const TimeCode& time,
                                             const CallOptions& call = {}) const;

  // The objects of the last frame. Valid as long as any copy of this object.
  const FrameContents& contents() const;
  const FrameContents* operator->() const { return &contents(); }

 private:
  friend class Stage;
  struct State;
  struct Call;

  Frame(StageView stage, const FrameOptions& options);

  absl::StatusOr<std::shared_ptr<Call>> Begin(const TimeCode& time, Sink sink);

  StageView stage_;
  std::shared_ptr<State> state_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FRAME_H_
