#ifndef STAGEDOOR_SERVER_CONVERTERS_COERCE_TO_UTF8_H_
#define STAGEDOOR_SERVER_CONVERTERS_COERCE_TO_UTF8_H_

#include <string>
#include <string_view>

namespace stagedoor {

// `text` as a proto3 string may hold it: bytes that are no UTF-8, which only a file can have
// brought in, become U+FFFD (receivers refuse messages with invalid strings).
std::string CoerceToUtf8(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_COERCE_TO_UTF8_H_
