#ifndef STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_VALUE_H_
#define STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_VALUE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/variant.h"

namespace stagedoor {

// The values that a variable expression can have.

// std::monostate is None.
using ExpressionScalar = Variant<std::monostate, bool, int64_t, std::string>;
using ExpressionList = std::vector<ExpressionScalar>;
using ExpressionValue = Variant<std::monostate, bool, int64_t, std::string, ExpressionList>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_VALUE_H_
