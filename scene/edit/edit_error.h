#ifndef STAGEDOOR_SCENE_EDIT_EDIT_ERROR_H_
#define STAGEDOOR_SCENE_EDIT_EDIT_ERROR_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "base/strings.h"

namespace stagedoor {

// Why an edit is refused, for callers that report it by a code of their own.
enum class EditErrorKind : char {
  kInvalidPath = 'p',
  kPrimNotFound = 'n',
  kAttributeNotFound = 'a',
  kWrongKind = 'k',
  kInvalidTime = 't',
  kInvalidField = 'f',
};

// A status of the kind: NOT_FOUND or INVALID_ARGUMENT.
absl::Status MakeEditError(EditErrorKind kind, std::string_view message);

template <typename... Args>
absl::Status EditError(EditErrorKind kind, const Args&... args) {
  return MakeEditError(kind, Concat(args...));
}

// The kind of an error that EditError made. Nothing for other errors, which are not about the edit:
// the end of the request, or that the stage cannot be composed.
std::optional<EditErrorKind> GetEditErrorKind(const absl::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_EDIT_ERROR_H_
