#ifndef STAGEDOOR_SCENE_COMPOSITION_VARIABLE_EXPRESSION_H_
#define STAGEDOOR_SCENE_COMPOSITION_VARIABLE_EXPRESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "scene/composition/expression_value.h"
#include "scene/values/dictionary.h"

namespace stagedoor {

// Variable expressions, such as `"./${SHOT}.usd"`, in asset paths, sublayers and variant
// selections.
//
// Corresponds to OpenUSD's SdfVariableExpression and Pcp_EvaluateVariableExpression. The Core
// Specification only reserves expressionVariables (7.6.1.7 Out of Scope Fields), so OpenUSD defines
// the language, and its error messages are kept word for word.
//
// The language has strings with ${VAR} and ${VAR:fallback}, integers, booleans, None, lists of
// these, and the functions if, eq, neq, lt, leq, gt, geq, and, or, not, contains, at, len, defined.
// A variable may itself hold an expression. Unknown variables inside strings stay literal text.
//
// Variables that refer to others several times multiply the work, so each is evaluated once per
// expression, and the steps of one expression and the length of its strings are bounded; exceeding
// a bound is then the only error of the expression. The steps are charged to the request. If the
// request ends, the result has an error as well, which must not be cached for other requests.

struct VariableExpressionResult {
  ExpressionValue value;  // None if there are errors
  std::vector<std::string> errors;
};

// Whether `text` is an expression, that is, in backquotes. Corresponds to
// SdfVariableExpression::IsExpression.
bool IsVariableExpression(std::string_view text);

// The limits of one expression. A step is a node of its syntax tree, or kBytesPerExpressionStep
// bytes read or written.
inline constexpr size_t kMaxExpressionSteps = size_t{1} << 18;
inline constexpr size_t kBytesPerExpressionStep = 64;
inline constexpr size_t kMaxExpressionString = size_t{1} << 20;

// Parses and evaluates `text`, which includes its backquotes. Nesting too deeply is an error.
VariableExpressionResult EvaluateVariableExpression(RequestContext& context, std::string_view text,
                                                    const Dictionary& variables);

// Evaluates an expression that must yield a string, or None for an empty one; any other type is an
// error.
struct StringExpressionResult {
  std::string value;
  std::vector<std::string> errors;
};
StringExpressionResult EvaluateStringVariableExpression(RequestContext& context,
                                                        std::string_view text,
                                                        const Dictionary& variables);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_VARIABLE_EXPRESSION_H_
