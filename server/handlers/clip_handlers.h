#ifndef STAGEDOOR_SERVER_HANDLERS_CLIP_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_CLIP_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

struct SourceState;

// The RPCs of LayersService about value clips; layers.proto documents them.
absl::StatusOr<ResponseStreamPtr<v1::StitchClipsResponse>> StitchClips(
    const SourceState& state, RequestContext& context, const v1::StitchClipsRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::GenerateClipManifestResponse>> GenerateClipManifest(
    const SourceState& state, RequestContext& context,
    const v1::GenerateClipManifestRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CLIP_HANDLERS_H_
