#ifndef STAGEDOOR_SERVER_CONVERTERS_WIRE_TEXT_H_
#define STAGEDOOR_SERVER_CONVERTERS_WIRE_TEXT_H_

#include <string>
#include <string_view>

namespace stagedoor {

// `text` as a proto3 string may hold it: bytes that are no UTF-8, which only a file can have
// brought in, become U+FFFD (receivers refuse messages with invalid strings).
std::string WireText(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_WIRE_TEXT_H_
