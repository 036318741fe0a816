#include "client/cc/grpc_status.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "client/cc/edit_errors.h"
#include "client/cc/error_details.h"
#include "client/cc/error_reason.h"
#include "client/cc/proxy.h"

namespace stagedoor {
namespace {

std::string WithCommas(std::string_view digits) {
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

// The number at the beginning of a text.
std::string_view NumberAt(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// The error for a message, of the client or of the daemon, that gRPC did not accept; OK if the
// status is another one.
absl::Status TooLargeError(const std::string& message) {
  constexpr std::string_view kTooLarge = " message larger than max (";
  constexpr std::string_view kLimit = " vs. ";
  if (!message.starts_with("Received") && !message.starts_with("Sent")) return absl::OkStatus();
  const size_t found = message.find(kTooLarge);
  if (found == std::string::npos) return absl::OkStatus();
  std::string_view rest = std::string_view(message).substr(found + kTooLarge.size());
  const std::string_view size = NumberAt(rest);
  rest.remove_prefix(size.size());
  if (!rest.starts_with(kLimit)) return absl::OkStatus();
  const std::string_view limit = NumberAt(rest.substr(kLimit.size()));
  return WithReason(ResourceExhaustedError("a message of ", WithCommas(size),
                                           " bytes exceeds the limit of ", WithCommas(limit)),
                    "REQUEST_TOO_LARGE", "");
}

}  // namespace

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  if (const auto http = HttpStatusOf(status); http.has_value()) return ProxyError(*http, code);
  if (status.error_details().empty()) {
    absl::Status too_large = TooLargeError(status.error_message());
    if (!too_large.ok()) return too_large;
  }
  absl::Status result = MakeStatus(code, status.error_message());
  for (const std::string& info : FindDetails(status.error_details(), kErrorInfoType)) {
    result.SetPayload(kErrorInfoUrl, absl::Cord(info));
  }
  for (const std::string& errors : FindDetails(status.error_details(), kEditErrorsUrl)) {
    result.SetPayload(kEditErrorsUrl, absl::Cord(errors));
  }
  return result;
}

}  // namespace stagedoor
