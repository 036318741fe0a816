#ifndef STAGEDOOR_SCENE_COMPOSITION_VARIABLE_EXPRESSION_NODE_H_
#define STAGEDOOR_SCENE_COMPOSITION_VARIABLE_EXPRESSION_NODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scene/composition/expression_value.h"

namespace stagedoor {

// The syntax tree of a variable expression, and its parser. Corresponds to OpenUSD's
// Sdf_ParseVariableExpression. Internal to expression.cc.

// A node of the tree; which members it uses depends on its kind.
struct VariableExpressionNode {
  enum class Kind : uint8_t { kLiteral, kVariable, kString, kList, kCall };

  Kind kind = Kind::kLiteral;
  ExpressionValue literal;
  std::string name;  // the name of a variable or function
  // The parts of a string, the elements of a list, the arguments of a call, or the fallback of a
  // variable if it has one.
  std::vector<VariableExpressionNode> children;
};

// Parses `text`, which begins and ends with a backquote. Returns the first error, or an empty
// string on success.
std::string ParseVariableExpression(std::string_view text, VariableExpressionNode* root);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_VARIABLE_EXPRESSION_NODE_H_
