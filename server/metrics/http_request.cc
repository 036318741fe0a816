#include "server/metrics/http_request.h"

#include <string>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

// Takes the text up to `end`, or all of it, from the front of `*rest`, and removes `end`, too.
std::string_view TakeUntil(std::string_view end, std::string_view* rest) {
  const size_t at = rest->find(end);
  const std::string_view taken = rest->substr(0, at);
  rest->remove_prefix(at == std::string_view::npos ? rest->size() : at + end.size());
  return taken;
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

std::optional<HttpRequest> HttpRequest::Parse(std::string_view head) {
  HttpRequest request;
  std::string_view line = TakeUntil("\r\n", &head);
  request.method_ = TakeUntil(" ", &line);
  std::string_view target = TakeUntil(" ", &line);
  if (request.method_.empty() || !target.starts_with('/') || !line.starts_with("HTTP/1.")) {
    return std::nullopt;
  }
  request.path_ = TakeUntil("?", &target);
  request.query_ = target;
  request.headers_ = head;
  request.knows_chunks_ = line != "HTTP/1.0";
  return request;
}

std::string_view HttpRequest::Header(std::string_view name) const {
  for (std::string_view rest = headers_; !rest.empty();) {
    std::string_view line = TakeUntil("\r\n", &rest);
    if (AsciiLower(TakeUntil(":", &line)) == name) return Trimmed(line);
  }
  return {};
}

}  // namespace stagedoor::server
