#ifndef STAGEDOOR_SCENE_PATHS_PREDICATE_EXPRESSION_H_
#define STAGEDOOR_SCENE_PATHS_PREDICATE_EXPRESSION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/variant.h"

namespace stagedoor {

// An argument of a call.
struct PredicateArgument {
  std::string key;  // empty for positional arguments
  Variant<bool, int64_t, double, std::string> value;
};

// A call of a predicate function.
struct PredicateCall {
  enum class Style : uint8_t { kBare, kColon, kParentheses };  // f / f:a,b / f(a, k=b)
  std::string function;
  std::vector<PredicateArgument> arguments;
  Style style = Style::kBare;

  std::string ToText() const;
};

// The condition in the braces of a path pattern, such as "kind:component and not abstract".
// Corresponds to OpenUSD's SdfPredicateExpression.
//
// Consists of calls of named functions; the caller of Evaluate defines what they mean. Immutable
// once parsed, so thread-safe to read.
struct PredicateExpression {
  // In order of increasing precedence. kImpliedAnd is an implied "and" between terms written side
  // by side.
  enum class Kind : uint8_t { kOr, kAnd, kImpliedAnd, kNot, kCall };
  Kind kind = Kind::kCall;
  std::vector<PredicateExpression> terms;
  PredicateCall call;

  // The truth value, given a function that evaluates single calls.
  bool Evaluate(const std::function<bool(const PredicateCall&)>& holds) const;
  void ForEachCall(const std::function<void(const PredicateCall&)>& visit) const;
  std::string ToText() const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PREDICATE_EXPRESSION_H_
