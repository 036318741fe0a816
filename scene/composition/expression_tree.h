// The syntax tree of a variable expression, and its parser. Corresponds to OpenUSD's
// Sdf_ParseVariableExpression. Internal to expression.cc.
#ifndef STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_TREE_H_
#define STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_TREE_H_

#include <string>
#include <string_view>
#include <vector>

#include "scene/composition/expression.h"

namespace stagedoor {

// A node of the tree; which members it uses depends on its kind.
struct ExpressionNode {
  enum class Kind : uint8_t { kLiteral, kVariable, kString, kList, kCall };

  Kind kind = Kind::kLiteral;
  ExpressionValue literal;
  std::string name;  // the name of a variable or function
  // The parts of a string, the elements of a list, the arguments of a call, or the fallback of a
  // variable if it has one.
  std::vector<ExpressionNode> children;
};

// Parses `text`, which begins and ends with a backquote. Returns the first error, or an empty
// string on success.
std::string ParseExpression(std::string_view text, ExpressionNode* root);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_TREE_H_
