#ifndef STAGEDOOR_SERVER_SESSIONS_STAGE_KEY_CHANGES_H_
#define STAGEDOOR_SERVER_SESSIONS_STAGE_KEY_CHANGES_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/stages/stage_key.h"

namespace stagedoor::server {

struct AssetState;

// Edits of a session other than those of its session layer. A change that fails may be half made.
using Texts = google::protobuf::RepeatedPtrField<std::string>;

// INVALID_ARGUMENT (INVALID_PATH) for a path that is not an absolute prim path.
absl::Status LoadPaths(const Texts& paths, bool with_descendants, StageKey& stage_key);
absl::Status UnloadPaths(const Texts& paths, StageKey& stage_key);

// Unmutes layers, then mutes others. INVALID_ARGUMENT (INVALID_FIELD) for a malformed identifier.
absl::Status ChangeMutedLayers(const AssetState& state, RequestContext& context, const Texts& mute,
                               const Texts& unmute, StageKey& stage_key);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_STAGE_KEY_CHANGES_H_
