#include "server/fuzz/contract.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>

#include "base/strings.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/error_info.h"
#include "server/rpc/grpc_status.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxMetadataBytes = 8 << 10;  // gRPC's default limit for clients
constexpr size_t kMaxMessageBytes = 4 << 20;   // the same for messages

bool IsPermitted(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDataLoss:
      return true;
    case absl::StatusCode::kUnimplemented:
      return GetReason(status) == v1::ERROR_REASON_UNSUPPORTED;
    default:
      return false;
  }
}

// The bytes of text that is percent-encoded for a trailer.
size_t EncodedSize(const std::string& text) {
  const auto printable = std::count_if(
      text.begin(), text.end(), [](unsigned char c) { return c >= ' ' && c <= '~' && c != '%'; });
  return 3 * text.size() - 2 * static_cast<size_t>(printable);
}

}  // namespace

std::string ProblemWithError(const absl::Status& status) {
  if (status.ok()) return "";
  if (!IsPermitted(status)) return "code outside of the contract";
  const grpc::Status sent = ToGrpcStatus(status);
  google::rpc::Status details;
  if (!details.ParseFromString(sent.error_details())) return "details cannot be parsed";
  if (details.code() != static_cast<int>(status.code())) return "details have another code";
  for (const auto& detail : details.details()) {
    google::rpc::ErrorInfo info;
    if (!detail.UnpackTo(&info)) continue;
    v1::ErrorReason reason;
    if (!v1::ErrorReason_Parse(Concat("ERROR_REASON_", info.reason()), &reason)) {
      return Concat("unknown reason ", info.reason());
    }
  }
  const size_t size = EncodedSize(sent.error_message()) + sent.error_details().size() * 4 / 3;
  return size < kMaxMetadataBytes ? "" : Concat(size, " bytes of metadata");
}

GenericReply ParseReply(const google::protobuf::MethodDescriptor& method,
                        const absl::Status& status, const std::vector<std::string>& messages) {
  GenericReply reply;
  reply.status = ToGrpcStatus(status);
  if (!status.ok()) return reply;
  const auto* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(method.output_type());
  for (const std::string& bytes : messages) {
    reply.messages.emplace_back(prototype->New());
    reply.valid &= reply.messages.back()->ParseFromString(bytes);
    reply.valid &= !method.server_streaming() || bytes.size() <= kMaxMessageBytes;
  }
  return reply;
}

}  // namespace stagedoor::server
