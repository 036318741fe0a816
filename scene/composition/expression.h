// Variable expressions: `"./${SHOT}.usd"` in asset paths, sublayers and variant selections.
//
// The language: strings with ${VAR} and ${VAR:fallback}, integers, booleans, None, lists of these,
// and the functions if, eq, neq, lt, leq, gt, geq, and, or, not, contains, at, len, defined. A
// variable may hold an expression itself. Unknown variables inside strings stay as literal text.
//
// Variables that mention others several times multiply, so each is evaluated once per expression,
// and the work of one expression and the length of its strings are bounded; exceeding a bound is
// the expression's only error. All of it is work of the request. When the request ends there is an
// error too, which must not be kept for others.
#ifndef STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_H_
#define STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/request_context.h"
#include "base/variant.h"
#include "scene/values/dictionary.h"

namespace stagedoor {

// None is monostate, as is a list's element type while the list is empty.
using ExpressionScalar = Variant<std::monostate, bool, int64_t, std::string>;
using ExpressionList = std::vector<ExpressionScalar>;
using ExpressionValue = Variant<std::monostate, bool, int64_t, std::string, ExpressionList>;

struct ExpressionResult {
  ExpressionValue value;  // None if there are errors
  std::vector<std::string> errors;
};

// Text between backquotes.
bool IsVariableExpression(std::string_view text);

// The bounds of one expression. A step is a node of its tree, or kBytesPerExpressionStep bytes read
// or written.
inline constexpr size_t kMaxExpressionSteps = size_t{1} << 18;
inline constexpr size_t kBytesPerExpressionStep = 64;
inline constexpr size_t kMaxExpressionString = size_t{1} << 20;

// Parses and evaluates `text`, backquotes included. Nesting is bounded; exceeding it is an error.
ExpressionResult EvaluateExpression(RequestContext& context, std::string_view text,
                                    const Dictionary& variables);

// The result if it is a string or None (then empty); otherwise, errors say what went wrong.
struct StringExpressionResult {
  std::string value;
  std::vector<std::string> errors;
};
StringExpressionResult EvaluateStringExpression(RequestContext& context, std::string_view text,
                                                const Dictionary& variables);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_EXPRESSION_H_
