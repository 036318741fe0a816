#ifndef STAGEDOOR_TESTS_TOOLS_VALUE_JSON_H_
#define STAGEDOOR_TESTS_TOOLS_VALUE_JSON_H_

#include <string>
#include <string_view>

#include "scene/values/value.h"

namespace stagedoor {

// Formats values as the JSON of conformance goldens.

void AppendJsonString(std::string_view text, std::string* out);
void AppendValueJson(const Value& value, std::string* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_VALUE_JSON_H_
