#ifndef STAGEDOOR_SERVER_SESSIONS_STAGE_KEY_PARSER_H_
#define STAGEDOOR_SERVER_SESSIONS_STAGE_KEY_PARSER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/stages/stage_key.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

struct AssetState;

// The absolute identifier of a layer, which a field of a request names, in a resolver context.
// INVALID_ARGUMENT (INVALID_FIELD) if `asset` is malformed.
absl::StatusOr<std::string> IdentifyLayer(const AssetState& state, RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view field, const std::string& asset);
// Parses what a request asks to open, with identifiers resolved. Also used by the tools that open a
// stage for one call. Errors: INVALID_ARGUMENT, which names the field or path; those of
// ApplySessionLayer.
absl::StatusOr<StageKey> ParseStageKey(const AssetState& state, RequestContext& context,
                                       const v1::OpenStageRequest& request);
// Replaces the session layer of a StageKey and its edits, or removes it if `session` is empty.
// Errors: INVALID_ARGUMENT (INVALID_FIELD) for a malformed identifier; RESOURCE_EXHAUSTED
// (REQUEST_TOO_LARGE) if the content exceeds ServerLimits::max_session_layer_bytes.
absl::Status ApplySessionLayer(const AssetState& state, RequestContext& context,
                               const v1::SessionLayer& session, StageKey& stage_key);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_STAGE_KEY_PARSER_H_
