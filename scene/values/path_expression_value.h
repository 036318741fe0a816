#ifndef STAGEDOOR_SCENE_VALUES_PATH_EXPRESSION_VALUE_H_
#define STAGEDOOR_SCENE_VALUES_PATH_EXPRESSION_VALUE_H_

#include <string>

namespace stagedoor {

// The text of a path expression, which PathExpression parses and evaluates.
struct PathExpressionValue {
  std::string text;
  friend bool operator==(const PathExpressionValue&, const PathExpressionValue&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_PATH_EXPRESSION_VALUE_H_
