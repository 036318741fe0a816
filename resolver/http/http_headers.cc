#include "resolver/http/http_headers.h"

#include "base/strings.h"

namespace stagedoor {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

bool HttpHeaders::AddLine(std::string_view line) {
  bytes_ += line.size();
  ++lines_;
  if (bytes_ > kMaxBytes || lines_ > kMaxFields) return false;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return true;
  fields_.push_back(
      {AsciiLower(Trimmed(line.substr(0, colon))), std::string(Trimmed(line.substr(colon + 1)))});
  return true;
}

std::optional<std::string_view> HttpHeaders::Find(std::string_view name) const {
  const std::string lower = AsciiLower(name);
  const HttpHeader* found = nullptr;
  for (const HttpHeader& field : fields_) {
    if (field.name != lower) continue;
    if (found != nullptr && found->value != field.value) return std::nullopt;
    found = &field;
  }
  if (found == nullptr || found->value.empty()) return std::nullopt;
  return found->value;
}

}  // namespace stagedoor
