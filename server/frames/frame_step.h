#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_STEP_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_STEP_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "server/frames/frame_writer.h"

namespace stagedoor::server {

// A part of the work on a frame, such as all lights, which is done message by message. For one
// thread.
class FrameStep {
 public:
  virtual ~FrameStep() = default;

  // Adds what the message has room for. Whether the step is done. Errors: those of the context.
  virtual absl::StatusOr<bool> Continue(FrameWriter& writer) = 0;
};

// Steps one after the other. Each is destroyed once it is done.
class FrameSteps final : public FrameStep {
 public:
  void Add(std::unique_ptr<FrameStep> step) { steps_.push_back(std::move(step)); }
  template <typename Step, typename... Args>
  void Add(Args&&... args) {
    Add(std::make_unique<Step>(std::forward<Args>(args)...));
  }

  bool AtEnd() const { return next_ == steps_.size(); }
  absl::StatusOr<bool> Continue(FrameWriter& writer) override {
    for (; !AtEnd(); ++next_) {
      SD_ASSIGN_OR_RETURN(const bool done, steps_[next_]->Continue(writer));
      if (!done) return false;
      steps_[next_] = nullptr;
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<FrameStep>> steps_;
  size_t next_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_STEP_H_
