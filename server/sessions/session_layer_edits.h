#ifndef STAGEDOOR_SERVER_SESSIONS_SESSION_LAYER_EDITS_H_
#define STAGEDOOR_SERVER_SESSIONS_SESSION_LAYER_EDITS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "scene/edit/edit_target.h"
#include "scene/edit/edited_stage.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {

// Whether an edit authors in the session layer, rather than change what the stage is opened with.
bool IsLayerEdit(const v1::Edit& edit);

// The path that an edit of the layer is about.
std::string_view PathOf(const v1::Edit& edit);

// INVALID_ARGUMENT (INVALID_PATH) if it is not a variant.
absl::StatusOr<EditTarget> ParseEditTarget(const v1::EditTarget& target);

// Applies an edit of the layer. An edit that fails changes nothing. Errors: those of the functions
// of scene/edit, with a reason, and of ParseValue; INVALID_ARGUMENT (INVALID_PATH) for a malformed
// path.
absl::Status ApplyLayerEdit(EditedStage& stage, const v1::Edit& edit);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_SESSION_LAYER_EDITS_H_
