#include "scene/paths/predicate_expression.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace stagedoor {
namespace {

// Quotes a string as OpenUSD does: in single quotes if it contains double ones, tripled if it has
// line breaks.
std::string Quoted(const std::string& text) {
  const bool lines = text.find('\n') != std::string::npos;
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  const std::string marks(lines ? 3 : 1, quote);
  return marks + text + marks;
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "1" : "0"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  }
  std::string operator()(const std::string& value) const { return Quoted(value); }
  std::string operator()(const NeverHeld&) const { return {}; }
};

std::string_view Separator(PredicateExpression::Kind kind) {
  switch (kind) {
    case PredicateExpression::Kind::kOr:
      return " or ";
    case PredicateExpression::Kind::kAnd:
      return " and ";
    default:
      return " ";
  }
}

}  // namespace

std::string PredicateCall::ToText() const {
  if (style == Style::kBare) return function;
  const bool colon = style == Style::kColon;
  std::string text = function + (colon ? ":" : "(");
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += colon ? "," : ", ";
    if (!arguments[i].key.empty()) text += arguments[i].key + "=";
    text += std::visit(ValueText(), arguments[i].value);
  }
  return colon ? text : text + ")";
}

bool PredicateExpression::Evaluate(const std::function<bool(const PredicateCall&)>& holds) const {
  const auto evaluate = [&](const PredicateExpression& term) { return term.Evaluate(holds); };
  switch (kind) {
    case Kind::kCall:
      return holds(call);
    case Kind::kNot:
      return !terms[0].Evaluate(holds);
    case Kind::kOr:
      return std::any_of(terms.begin(), terms.end(), evaluate);
    default:
      return std::all_of(terms.begin(), terms.end(), evaluate);
  }
}

void PredicateExpression::ForEachCall(
    const std::function<void(const PredicateCall&)>& visit) const {
  if (kind == Kind::kCall) visit(call);
  for (const PredicateExpression& term : terms) term.ForEachCall(visit);
}

std::string PredicateExpression::ToText() const {
  if (kind == Kind::kCall) return call.ToText();
  std::string text = kind == Kind::kNot ? "not " : "";
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i > 0) text += Separator(kind);
    // Chains associate to the left, so an equal operator needs parentheses only on the right.
    const bool looser = terms[i].kind < kind || (i > 0 && terms[i].kind == kind);
    text += looser ? "(" + terms[i].ToText() + ")" : terms[i].ToText();
  }
  return text;
}

}  // namespace stagedoor
