#include "server/rpc/grpc_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/status.h"
#include "base/strings.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

// Trailers must fit into the client's metadata limit (8 KiB) whatever a file or request contained.
constexpr size_t kMaxMessageBytes = 2000;

std::string Shortened(std::string_view text) {
  if (text.size() <= kMaxMessageBytes) return std::string(text);
  return Concat(text.substr(0, kMaxMessageBytes), "…");
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const absl::Status full = WithReason(status, ReasonOf(status));
  const std::string message = Shortened(Message(full));
  google::rpc::Status details;
  details.set_code(static_cast<int>(full.code()));
  details.set_message(message);
  const auto payload =
      full.GetPayload(absl::string_view(kErrorInfoUrl.data(), kErrorInfoUrl.size()));
  google::rpc::ErrorInfo info;
  if (payload.has_value() && info.ParseFromString(std::string(*payload)) &&
      !info.reason().empty()) {
    for (auto& [key, value] : *info.mutable_metadata()) value = Shortened(value);
    google::protobuf::Any* any = details.add_details();
    any->set_type_url(std::string(kErrorInfoUrl));
    any->set_value(info.SerializeAsString());
  }
  return grpc::Status(static_cast<grpc::StatusCode>(full.code()), message,
                      details.SerializeAsString());
}

}  // namespace stagedoor
