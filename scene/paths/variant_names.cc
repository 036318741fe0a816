#include "scene/paths/variant_names.h"

#include <cstddef>
#include <cstdint>

#include "scene/paths/identifier.h"

namespace stagedoor {

bool IsVariantName(std::string_view text) { return VariantNameLength(text) == text.size(); }

bool IsVariantSelection(std::string_view text) {
  const bool expression = text.size() > 2 && text.front() == '`' && text.back() == '`';
  return expression || IsVariantName(text);
}

bool IsCrateVariantName(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    uint32_t c;
    const size_t n = DecodeUtf8(text, at, &c);
    if (n == 0 || c == '=' || c == '{' || c == '}') return false;
    at += n;
  }
  return true;
}

}  // namespace stagedoor
