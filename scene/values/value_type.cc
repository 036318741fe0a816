#include "scene/values/value_type.h"

namespace stagedoor {

std::string_view ValueTypeKeyword(ValueType type) {
  switch (type) {
    case ValueType::kEmpty:
      return "no value";
    case ValueType::kInvalid:
      return "invalid";
    case ValueType::kTimeSamples:
      return "timeSamples";
#define X(name, type, text) \
  case ValueType::name:     \
    return text;
      STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, type)   \
  case ValueType::name: \
    return std::string_view(#name).substr(1);  // without the leading 'k'
      STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
  }
  return "";
}

}  // namespace stagedoor
