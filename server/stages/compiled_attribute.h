#ifndef STAGEDOOR_SERVER_STAGES_COMPILED_ATTRIBUTE_H_
#define STAGEDOOR_SERVER_STAGES_COMPILED_ATTRIBUTE_H_

#include "scene/stage/property.h"

namespace stagedoor {

// An attribute with its value sources resolved, so that any number of requests can read values at
// any time. Immutable; valid as long as its snapshot. Corresponds to OpenUSD's UsdAttributeQuery.
struct CompiledAttribute {
  Attribute attribute;
  Token type_name;
  AttributeSource numeric;
  AttributeSource at_default;

  size_t byte_size() const {
    return sizeof(*this) - 2 * sizeof(AttributeSource) + numeric.byte_size() +
           at_default.byte_size();
  }

  const AttributeSource& SourceFor(TimeCode time) const {
    return time.is_default() ? at_default : numeric;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_COMPILED_ATTRIBUTE_H_
