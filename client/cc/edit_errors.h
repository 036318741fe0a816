#ifndef STAGEDOOR_CLIENT_CC_EDIT_ERRORS_H_
#define STAGEDOOR_CLIENT_CC_EDIT_ERRORS_H_

#include <optional>

#include "absl/status/status.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor {

// The type URL of the payload.
inline constexpr char kEditErrorsUrl[] = "type.googleapis.com/stagedoor.v1.EditErrors";

// Which edits of a failed EditStage call failed, and why. Nothing if the call failed for another
// reason.
std::optional<v1::EditErrors> GetEditErrors(const absl::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_EDIT_ERRORS_H_
