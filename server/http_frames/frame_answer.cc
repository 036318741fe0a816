#include "server/http_frames/frame_answer.h"

#include <charconv>

#include "absl/strings/escaping.h"
#include "base/strings.h"
#include "server/metrics/metrics_connection.h"

namespace stagedoor::server {
namespace {

std::string_view ContentType(v1::LayerFormat format) {
  return format == v1::LAYER_FORMAT_USDA ? "text/plain; charset=utf-8" : "application/octet-stream";
}

struct HttpStatus {
  std::string_view line;
  std::string_view headers = {};
};

HttpStatus StatusOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE:
      return {"400 Bad Request"};
    case grpc::StatusCode::UNAUTHENTICATED:
      return {"401 Unauthorized", "WWW-Authenticate: Bearer\r\n"};
    case grpc::StatusCode::PERMISSION_DENIED:
      return {"403 Forbidden"};
    case grpc::StatusCode::NOT_FOUND:
      return {"404 Not Found"};
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::ABORTED:
      return {"409 Conflict"};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
      return {"503 Service Unavailable", "Retry-After: 1\r\n"};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {"501 Not Implemented"};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {"504 Gateway Timeout"};
    default:
      return {"500 Internal Server Error"};
  }
}

std::string CommonHead(std::string_view status, std::string_view tag) {
  // The client asks each time whether the frame is still the same.
  return Concat("HTTP/1.1 ", status, "\r\nETag: ", tag,
                "\r\nCache-Control: private, no-cache\r\nX-Content-Type-Options: nosniff\r\n"
                "Connection: close\r\n");
}

}  // namespace

std::string FrameTag(std::string_view fingerprint) {
  return Concat("W/\"", absl::BytesToHexString({fingerprint.data(), fingerprint.size()}), "\"");
}

std::string FrameHead(std::string_view tag, v1::LayerFormat format, size_t problems) {
  const std::string left_out =
      problems == 0 ? "" : Concat("Stagedoor-Prims-Left-Out: ", problems, "\r\n");
  return Concat(CommonHead("200 OK", tag), left_out, "Content-Type: ", ContentType(format),
                "\r\nTransfer-Encoding: chunked\r\n\r\n");
}

std::string FrameHeadOnly(std::string_view tag, v1::LayerFormat format) {
  return Concat(CommonHead("200 OK", tag), "Content-Type: ", ContentType(format), "\r\n\r\n");
}

std::string NotModified(std::string_view tag) {
  return Concat(CommonHead("304 Not Modified", tag), "\r\n");
}

std::string Chunk(std::string_view bytes) {
  char size[2 * sizeof(size_t)];
  const auto end = std::to_chars(size, size + sizeof(size), bytes.size(), 16).ptr;
  return Concat(std::string_view(size, static_cast<size_t>(end - size)), "\r\n", bytes, "\r\n");
}

std::string ErrorAnswer(const grpc::Status& status) {
  const HttpStatus http = StatusOf(status.error_code());
  return RenderedAnswer({.status = http.line,
                         .body = Concat(CoerceToUtf8(status.error_message()), "\n"),
                         .headers = http.headers});
}

}  // namespace stagedoor::server
