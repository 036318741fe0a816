#ifndef STAGEDOOR_SERVER_METRICS_HTTP_REQUEST_H_
#define STAGEDOOR_SERVER_METRICS_HTTP_REQUEST_H_

#include <optional>
#include <string_view>

namespace stagedoor::server {

// The head of an HTTP/1 request. Views into its text.
class HttpRequest {
 public:
  // `head` are the lines up to the empty one. Nothing if the first line is malformed.
  static std::optional<HttpRequest> Parse(std::string_view head);

  std::string_view method() const { return method_; }
  // The target without what follows the first '?', and that; both as sent.
  std::string_view path() const { return path_; }
  std::string_view query() const { return query_; }
  // Whether the client knows HTTP/1.1, and so the chunked transfer coding.
  bool knows_chunks() const { return knows_chunks_; }

  // The value of a header, without the spaces around it; empty if there is none. `name` must be in
  // lower case. Of several headers with one name the first.
  std::string_view Header(std::string_view name) const;

 private:
  std::string_view method_, path_, query_, headers_;
  bool knows_chunks_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_HTTP_REQUEST_H_
