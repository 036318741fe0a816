#include "server/sessions/edit_errors.h"

#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "base/strings.h"
#include "scene/edit/edit_error.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// Trailing metadata must fit into the limit of clients, 8 KiB, and is sent in base64.
constexpr size_t kMaxBytes = 3000;
constexpr int kMaxEditErrors = 100;
constexpr size_t kMaxMessageBytes = 200;

v1::ErrorReason ReasonOf(EditErrorKind kind) {
  switch (kind) {
    case EditErrorKind::kInvalidPath:
      return v1::ERROR_REASON_INVALID_PATH;
    case EditErrorKind::kPrimNotFound:
      return v1::ERROR_REASON_PRIM_NOT_FOUND;
    case EditErrorKind::kAttributeNotFound:
      return v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND;
    case EditErrorKind::kWrongKind:
      return v1::ERROR_REASON_WRONG_KIND;
    case EditErrorKind::kInvalidTime:
      return v1::ERROR_REASON_INVALID_TIME;
    case EditErrorKind::kInvalidField:
      return v1::ERROR_REASON_INVALID_FIELD;
  }
  return v1::ERROR_REASON_UNSPECIFIED;
}

}  // namespace

absl::Status WithEditReason(const absl::Status& status, std::string_view path) {
  const auto kind = GetEditErrorKind(status);
  if (!kind.has_value()) return status;
  return WithReason(status, ReasonOf(*kind), {{"path", path}});
}

bool IsAboutEdit(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
      return true;
    case absl::StatusCode::kResourceExhausted:
      return GetReason(status) == v1::ERROR_REASON_REQUEST_TOO_LARGE;
    default:
      return false;
  }
}

void EditErrorList::Add(uint32_t edit, const absl::Status& status) {
  if (empty()) {
    first_ = status;
    first_edit_ = edit;
  }
  errors_.set_error_count(errors_.error_count() + 1);
  if (errors_.errors_size() == kMaxEditErrors) return;
  v1::ItemStatus* const item = errors_.add_errors();
  FillItemStatus(status, edit, item);
  if (item->message().size() > kMaxMessageBytes) {
    item->set_message(CoerceToUtf8(item->message().substr(0, kMaxMessageBytes)));
  }
  if (errors_.errors_size() > 1 && errors_.ByteSizeLong() > kMaxBytes) {
    errors_.mutable_errors()->RemoveLast();
  }
}

absl::Status EditErrorList::ToStatus() const {
  if (empty()) return absl::OkStatus();
  absl::Status status = Annotate(first_, Concat("edit ", first_edit_));
  if (GetReason(first_) == v1::ERROR_REASON_INVALID_FIELD) {  // see errors.proto
    status = WithFieldViolation(std::move(status), Concat("edits[", first_edit_, "]"),
                                Message(first_).substr(0, kMaxMessageBytes));
  }
  const absl::string_view url(kEditErrorsUrl.data(), kEditErrorsUrl.size());
  status.SetPayload(url, absl::Cord(errors_.SerializeAsString()));
  return status;
}

}  // namespace stagedoor::server
