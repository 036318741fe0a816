// PredicateExpression: the condition in the braces of a path pattern: "kind:component and not
// abstract".
//
// Names functions with arguments; whoever evaluates it says what they are. Immutable.
#ifndef STAGEDOOR_SCENE_PATHS_PREDICATE_EXPRESSION_H_
#define STAGEDOOR_SCENE_PATHS_PREDICATE_EXPRESSION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/variant.h"

namespace stagedoor {

struct PredicateArgument {
  std::string key;  // empty for arguments by position
  Variant<bool, int64_t, double, std::string> value;
};

struct PredicateCall {
  enum class Style : uint8_t { kBare, kColon, kParentheses };  // f, f:a,b and f(a, k=b)
  std::string function;
  std::vector<PredicateArgument> arguments;
  Style style = Style::kBare;

  std::string ToText() const;
};

struct PredicateExpression {
  // From loosest to tightest; kJuxtaposed is "and" by writing terms side by side.
  enum class Kind : uint8_t { kOr, kAnd, kJuxtaposed, kNot, kCall };
  Kind kind = Kind::kCall;
  std::vector<PredicateExpression> terms;
  PredicateCall call;

  bool Evaluate(const std::function<bool(const PredicateCall&)>& holds) const;
  void ForEachCall(const std::function<void(const PredicateCall&)>& visit) const;
  std::string ToText() const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PREDICATE_EXPRESSION_H_
