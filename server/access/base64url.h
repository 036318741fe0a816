#ifndef STAGEDOOR_SERVER_ACCESS_BASE64URL_H_
#define STAGEDOOR_SERVER_ACCESS_BASE64URL_H_

#include <optional>
#include <string>
#include <string_view>

namespace stagedoor::server {

// The bytes of a text in base64url without padding (RFC 4648, 5), as JSON Web Tokens and Keys use
// it. Nothing for any other character (padding, spaces), an impossible length, or unused bits that
// are not zero: each sequence of bytes has exactly one text.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_BASE64URL_H_
