#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_HEADERS_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_HEADERS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

struct HttpHeader {
  std::string name;
  std::string value;
};

// The header fields of a response, bounded while they are received.
class HttpHeaders {
 public:
  static constexpr size_t kMaxFields = 200;
  static constexpr size_t kMaxBytes = size_t{64} << 10;

  // Adds a line "Name: value", with or without its line end. Lines that are not fields are ignored.
  // False once the limits are exceeded.
  bool AddLine(std::string_view line);

  // The value of a field, whatever the case of its name. Nothing if it is missing, empty, or there
  // more than once with different values: who believes which of them is anybody's guess.
  std::optional<std::string_view> Find(std::string_view name) const;

  void Clear() { fields_.clear(); }  // the limits continue to count
  size_t size() const { return fields_.size(); }

 private:
  std::vector<HttpHeader> fields_;  // names in lower case
  size_t lines_ = 0;
  size_t bytes_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_HEADERS_H_
