#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_HEADER_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_HEADER_H_

#include "absl/status/status.h"
#include "server/frames/frame_job.h"
#include "server/frames/frame_writer.h"

namespace stagedoor::server {

// Writes the header of a frame. `complete`: whether the client is to forget what it holds. Fails
// only if the request is over.
absl::Status WriteFrameHeader(const FrameJob& job, bool complete, FrameWriter& writer);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_HEADER_H_
