#include "server/access/identity_text.h"

#include "base/strings.h"

namespace stagedoor::server {
namespace {

bool HasControlCharacter(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    // U+0080 to U+009F
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      return true;
    }
    // U+2028 and U+2029, which some readers of logs take for the end of a line
    if (text.substr(i).starts_with("\xe2\x80\xa8") || text.substr(i).starts_with("\xe2\x80\xa9")) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsIdentityText(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdentityTextBytes && IsValidUtf8(text) &&
         !HasControlCharacter(text);
}

}  // namespace stagedoor::server
