#ifndef STAGEDOOR_SERVER_HANDLERS_FRAME_EXPORT_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_FRAME_EXPORT_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {

struct SourceState;

// The RPC of FrameService that makes a layer of a frame; frame.proto documents it. The layer is
// made as a whole before the first message, and charged to the call until the last one.
absl::StatusOr<ResponseStreamPtr<v1::ExportFrameResponse>> ExportFrame(
    const SourceState& state, RequestContext& context, const v1::ExportFrameRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_FRAME_EXPORT_HANDLER_H_
