// The syntax tree of a variable expression, and its parser.
#ifndef STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_TREE_H_
#define STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_TREE_H_

#include <string>
#include <string_view>
#include <vector>

#include "scene/composition/expression.h"

namespace stagedoor {

struct ExpressionNode {
  enum class Kind : uint8_t { kLiteral, kVariable, kString, kList, kCall };

  Kind kind = Kind::kLiteral;
  ExpressionValue literal;
  std::string name;  // of a variable or function
  // Parts of a string, elements, arguments; the fallback of a variable, if it has one.
  std::vector<ExpressionNode> children;
};

// Parses an expression without its backquotes' meaning lost: `text` starts and ends with one.
// Returns the first error, empty when fine.
std::string ParseExpression(std::string_view text, ExpressionNode* root);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_TREE_H_
