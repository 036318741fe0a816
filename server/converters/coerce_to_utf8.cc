#include "server/converters/coerce_to_utf8.h"

#include <cstddef>
#include <cstdint>

#include "base/strings.h"
#include "scene/paths/identifier.h"

namespace stagedoor::server {

std::string CoerceToUtf8(std::string_view text) {
  if (IsValidUtf8(text)) [[likely]]
    return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    uint32_t code_point;
    const size_t length = DecodeUtf8(text, at, &code_point);
    out.append(length != 0 ? text.substr(at, length) : std::string_view("\xEF\xBF\xBD"));
    at += length != 0 ? length : 1;
  }
  return out;
}

}  // namespace stagedoor::server
