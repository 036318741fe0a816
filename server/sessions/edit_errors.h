#ifndef STAGEDOOR_SERVER_SESSIONS_EDIT_ERRORS_H_
#define STAGEDOOR_SERVER_SESSIONS_EDIT_ERRORS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {

// The status of an edit that failed with the reason that the API has for it. `path` is what the
// edit is about. Other errors are returned as they are.
absl::Status WithEditReason(const absl::Status& status, std::string_view path);

// Whether a status says that an edit cannot be made, rather than that the call cannot go on.
bool IsAboutEdit(const absl::Status& status);

// Collects the errors of the edits of a call.
class EditErrorList {
 public:
  bool empty() const { return errors_.error_count() == 0; }
  // To be called in the order of the edits.
  void Add(uint32_t edit, const absl::Status& status);
  // The status of the call: that of the first edit, with all of them in its details. OK if there
  // are none.
  absl::Status ToStatus() const;

 private:
  absl::Status first_;
  uint32_t first_edit_ = 0;
  v1::EditErrors errors_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_EDIT_ERRORS_H_
