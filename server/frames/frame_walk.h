#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_WALK_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_WALK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/frames/frame_filter.h"
#include "server/frames/frame_job.h"
#include "server/frames/frame_step.h"
#include "server/frames/prim_batches.h"

namespace stagedoor::server {

// Makes the objects and parts of a frame in the order of frame.proto, message by message; all but
// the header and the token.
//
// For a job about all of a frame, the work is that of the frame, and that of a plan in the making,
// which goes on as its prims are made. For one about what varies, it is
// that of the plan's lists of what does, so a frame in which nothing varies costs nothing. For one
// thread.
class FrameWalk {
 public:
  // `filter` must outlive the walk. Errors: those of the context.
  static absl::StatusOr<std::unique_ptr<FrameWalk>> Start(RequestContext& context,
                                                          const FrameJob& job, FrameFilter& filter);

  // With as much of the plan as there is.
  const FrameJob& job() const { return job_.only_varying ? job_ : whole_; }
  bool AtEnd() const { return steps_.AtEnd(); }
  // Adds what the message has room for. Errors: those of the context.
  absl::Status Continue(FrameWriter& writer) { return steps_.Continue(writer).status(); }

 private:
  FrameWalk(const FrameJob& job, FrameFilter& filter) : filter_(filter), job_(job), whole_(job) {
    whole_.only_varying = false;
    whole_.base.reset();
    job_.planning = nullptr;
  }

  absl::Status AddSteps(RequestContext& context);
  void AddAll(RequestContext& context);
  void AddLights(RequestContext& context, std::vector<uint32_t> indices);
  absl::Status AddVarying(RequestContext& context);

  // The change of a row that may be invisible, from the base of the job to the frame.
  enum class Presence : uint8_t { kStays, kAppears, kDisappears, kAbsent };
  Presence PresenceOf(RequestContext& context, uint32_t row) const;
  // The rows of a list that the client has, and still has with this frame.
  absl::StatusOr<std::vector<uint32_t>> StayingRows(RequestContext& context,
                                                    const std::vector<uint32_t>& rows) const;
  std::vector<uint32_t> StayingGeometry() const;
  absl::StatusOr<std::vector<uint32_t>> StayingSubsets(RequestContext& context) const;
  // Finds the rows that come and go because invisible ones are left out, and the geometry that the
  // client keeps.
  absl::Status FindComingAndGoing(RequestContext& context);
  void AddComingAndGoing(RequestContext& context);
  // Notes that a row is gone, and with it what other rows may not have.
  void Remove(uint32_t row);

  FrameFilter& filter_;
  FrameJob job_;
  FrameJob whole_;  // for what is made of nothing, and with the plan in the making
  std::unique_ptr<MadeObjects> made_;
  // If invisible rows are left out:
  std::vector<uint32_t> appearing_, disappearing_;
  std::vector<bool>
      has_geometry_;  // whether the client has a varying geometry, or one of these rows
  std::vector<FrameId> removed_;
  FrameSteps steps_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_WALK_H_
