#ifndef STAGEDOOR_SERVER_HANDLERS_FRAME_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_FRAME_HANDLER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/frames/frame_state.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {

// The RPCs of FrameService; frame.proto documents them. The stream's messages are in wire form.
//
// How changes are found: a frame of the snapshot of the one that the client holds has the parts
// that the plan of the selection lists as varying and that may differ; transforms, visibility and
// the camera are compared, byte by byte. A frame of another snapshot is made as a whole, and has
// the parts whose digests differ from those that FrameMemory has of what the client holds. Without
// these, and for the token of another selection, the frame is complete.
// docs/decisions/frames.md has the reasons.
absl::StatusOr<ResponseStreamPtr<WireWriter>> ExtractFrame(const FrameState& state,
                                                           RequestContext& context,
                                                           const v1::ExtractFrameRequest& request);

absl::Status ComputeFrameFingerprint(const FrameState& state, RequestContext& context,
                                     const v1::ComputeFrameFingerprintRequest& request,
                                     v1::ComputeFrameFingerprintResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_FRAME_HANDLER_H_
