#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_FILTER_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_FILTER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "base/fingerprinter.h"
#include "base/request_context.h"
#include "server/frames/frame_part.h"

namespace stagedoor::server {

// Sees the objects and parts of a frame as they are made, and decides which parts are sent. For one
// thread.
class FrameFilter {
 public:
  virtual ~FrameFilter() = default;

  // Whether a part is to be sent, which is complete but for its arrays. Errors: those of the
  // context.
  virtual absl::StatusOr<bool> Wants(RequestContext& context, const FramePart& part) = 0;
  // Whether Wants reads parts; otherwise it wants them all.
  virtual bool reads() const { return true; }
  // To be called if a part that was wanted could not be sent, so that the client does not have it.
  virtual void Forget(const FramePartId& /*part*/) {}

  // The frame has an object, or not any more. Called before Wants for the parts of the object.
  virtual void AddObject(FrameId /*object*/) {}
  virtual void RemoveObject(FrameId /*object*/) {}
  // The objects that the client has and that the frame has not. To be called once all of the frame
  // were added. Errors: those of the context.
  virtual absl::StatusOr<std::vector<FrameId>> ObjectsGone(RequestContext& /*context*/) {
    return std::vector<FrameId>();
  }
};

// Sends everything.
class SendAllParts final : public FrameFilter {
 public:
  absl::StatusOr<bool> Wants(RequestContext& /*context*/, const FramePart& /*part*/) override {
    return true;
  }
  bool reads() const override { return false; }
};

// Sends nothing, but computes a fingerprint of what would be sent.
class FingerprintParts final : public FrameFilter {
 public:
  explicit FingerprintParts(Fingerprinter& fingerprinter) : fingerprinter_(fingerprinter) {}

  absl::StatusOr<bool> Wants(RequestContext& context, const FramePart& part) override {
    absl::Status read = part.VisitBytes(
        context, /*by_place=*/false, [this](std::string_view bytes) { fingerprinter_.Add(bytes); });
    if (!read.ok()) return read;
    return false;
  }

 private:
  Fingerprinter& fingerprinter_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_FILTER_H_
