#ifndef STAGEDOOR_SERVER_CONVERTERS_COERCE_TO_UTF8_H_
#define STAGEDOOR_SERVER_CONVERTERS_COERCE_TO_UTF8_H_

#include <string>
#include <string_view>

namespace stagedoor::server {

// `text` as valid UTF-8, which proto3 strings require: each byte that is not part of valid UTF-8 is
// replaced by U+FFFD. Such bytes come from files; protobuf rejects messages with invalid strings.
std::string CoerceToUtf8(std::string_view text);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_COERCE_TO_UTF8_H_
