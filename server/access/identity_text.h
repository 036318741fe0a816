#ifndef STAGEDOOR_SERVER_ACCESS_IDENTITY_TEXT_H_
#define STAGEDOOR_SERVER_ACCESS_IDENTITY_TEXT_H_

#include <cstddef>
#include <string_view>

namespace stagedoor::server {

// The longest text of a name or alias of an identity, without its kind ("user:").
inline constexpr size_t kMaxIdentityTextBytes = 256;
// The most aliases of an identity.
inline constexpr size_t kMaxIdentityAliases = 256;

// Whether a text that a client or its issuer chose may become part of an identity: 1 to
// kMaxIdentityTextBytes bytes of UTF-8 without control characters, which could forge lines of logs
// or be dropped by other readers.
bool IsIdentityText(std::string_view text);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_IDENTITY_TEXT_H_
