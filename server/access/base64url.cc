#include "server/access/base64url.h"

#include <cstddef>
#include <cstdint>

namespace stagedoor::server {
namespace {

// The six bits of a digit, or -1.
int Bits(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  if (digit == '-') return 62;
  if (digit == '_') return 63;
  return -1;
}

}  // namespace

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t pending = 0;
  int pending_bits = 0;
  for (const char digit : text) {
    const int bits = Bits(digit);
    if (bits < 0) return std::nullopt;
    pending = pending << 6 | static_cast<uint32_t>(bits);
    pending_bits += 6;
    if (pending_bits < 8) continue;
    pending_bits -= 8;
    bytes.push_back(static_cast<char>(pending >> pending_bits));
    pending &= (uint32_t{1} << pending_bits) - 1;
  }
  if (pending != 0) return std::nullopt;
  return bytes;
}

}  // namespace stagedoor::server
