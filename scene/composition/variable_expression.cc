#include "scene/composition/variable_expression.h"

#include <algorithm>
#include <unordered_map>

#include "base/pacer.h"
#include "base/strings.h"
#include "scene/composition/variable_expression_node.h"
#include "scene/values/array.h"

namespace stagedoor {
namespace {

using Kind = VariableExpressionNode::Kind;
using Result = VariableExpressionResult;

// Bounds the nesting of expressions in variables; the parser bounds that within one expression.
constexpr int kMaxDepth = 256;

Result Error(std::string what) { return {{}, {std::move(what)}}; }

// The approximate memory of a value, as a measure of the work of holding or copying it.
size_t Bytes(const ExpressionScalar& scalar) {
  const auto* text = std::get_if<std::string>(&scalar);
  return sizeof(scalar) + (text ? text->size() : 0);
}
size_t Bytes(const Result& result) {
  size_t bytes = sizeof(Result);
  if (const auto* text = std::get_if<std::string>(&result.value)) bytes += text->size();
  if (const auto* list = std::get_if<ExpressionList>(&result.value)) {
    for (const ExpressionScalar& item : *list) bytes += Bytes(item);
  }
  for (const std::string& error : result.errors) bytes += sizeof(error) + error.size();
  return bytes;
}

template <typename V>
std::string_view TypeName(const V& value) {
  // The names in OpenUSD's error messages, in the order of the variant's alternatives.
  constexpr std::string_view kNames[] = {"None", "bool", "int", "string", "list"};
  return kNames[value.index()];
}

// A list element as a value of its own.
ExpressionValue Widen(const ExpressionScalar& scalar) {
  return std::visit([](const auto& held) { return ExpressionValue(held); }, scalar);
}

template <typename To, typename T>
bool ConvertArray(const Value& value, ExpressionValue* out) {
  const Array<T>* array = value.Get<Array<T>>();
  if (!array) return false;
  ExpressionList list;
  for (const T& item : *array) list.emplace_back(static_cast<To>(item));
  *out = std::move(list);
  return true;
}

// Converts the value of a variable. False for types that the language does not have, such as
// double: OpenUSD allows string, bool, int, int64 and their arrays.
bool Convert(const Value& value, ExpressionValue* out) {
  if (value.empty() || value.is_block()) return true;
  if (const bool* b = value.Get<bool>()) return *out = *b, true;
  if (const int32_t* i = value.Get<int32_t>()) return *out = int64_t{*i}, true;
  if (const int64_t* i = value.Get<int64_t>()) return *out = *i, true;
  if (const std::string* s = value.Get<std::string>()) return *out = *s, true;
  return ConvertArray<std::string, std::string>(value, out) ||
         ConvertArray<int64_t, int32_t>(value, out) || ConvertArray<int64_t, int64_t>(value, out) ||
         ConvertArray<bool, bool>(value, out);
}

// Evaluates one expression, with the expressions in its variables. Corresponds to OpenUSD's
// Sdf_VariableExpressionImpl::EvalContext.
class Evaluator {
 public:
  Evaluator(RequestContext& context, const Dictionary& variables)
      : context_(context), pacer_(context), variables_(variables) {}

  Result Run(std::string_view text);

 private:
  // Counts the work on `bytes`. False once a limit is exceeded, after which every result is
  // discarded.
  bool Spend(size_t bytes);
  std::string Parse(std::string_view text, VariableExpressionNode* root);
  Result Evaluate(const VariableExpressionNode& node);
  Result EvaluateKind(const VariableExpressionNode& node);
  // The value of an expression in the variable `name`.
  Result Inner(const std::string& name, const std::string& text);
  Result Variable(const VariableExpressionNode& node, bool* found);
  Result String(const VariableExpressionNode& node);
  Result List(const VariableExpressionNode& node);
  Result Call(const VariableExpressionNode& node);
  Result If(const VariableExpressionNode& node);
  Result Logical(const VariableExpressionNode& node, bool is_and);
  Result Not(const VariableExpressionNode& node);
  Result Compare(const VariableExpressionNode& node);
  Result Contains(const VariableExpressionNode& node);
  Result At(const VariableExpressionNode& node);
  Result Len(const VariableExpressionNode& node);
  Result Defined(const VariableExpressionNode& node);

  RequestContext& context_;
  Pacer pacer_;
  const Dictionary& variables_;
  std::vector<std::string> stack_;                 // variables being evaluated
  std::unordered_map<std::string, Result> known_;  // results of variables that hold expressions
  size_t cycles_ = 0;                              // errors found that print the stack
  size_t steps_ = 0;
  bool over_ = false;
  bool too_long_ = false;
  int depth_ = 0;
};

bool Evaluator::Spend(size_t bytes) {
  if (over_) return false;
  const size_t steps = 1 + bytes / kBytesPerExpressionStep;
  steps_ += steps;
  over_ = steps_ > kMaxExpressionSteps || !pacer_.Go(static_cast<int64_t>(steps));
  return !over_;
}

Result Evaluator::Run(std::string_view text) {
  VariableExpressionNode root;
  Result result;
  if (std::string fault = Parse(text, &root); !fault.empty()) {
    result = Error(std::move(fault));
  } else {
    result = Evaluate(root);
  }
  // Beyond a limit, neither a partial value nor the errors so far mean anything.
  if (!over_) return result;
  if (too_long_) {
    return Error(
        Concat("Expression produces a string of more than ", kMaxExpressionString, " bytes"));
  }
  if (steps_ > kMaxExpressionSteps) {
    return Error(Concat("Expression takes more than ", kMaxExpressionSteps,
                        " steps to evaluate; use fewer nested variables"));
  }
  return Error(std::string(context_.Check().message()));
}

Result Evaluator::Evaluate(const VariableExpressionNode& node) {
  // Expressions come from files of any origin, so recursion must be bounded.
  if (depth_ >= kMaxDepth) return Error("Expression is nested too deeply");
  if (!Spend(0)) return {};
  ++depth_;
  Result result = EvaluateKind(node);
  --depth_;
  // Results are copied up the tree, which is work as well.
  Spend(Bytes(result));
  return result;
}

Result Evaluator::EvaluateKind(const VariableExpressionNode& node) {
  switch (node.kind) {
    case Kind::kVariable: {
      bool found = false;
      // A string would keep the reference as text; elsewhere a value is needed.
      Result result = Variable(node, &found);
      return found ? result : Error(Concat("No value for variable '", node.name, "'"));
    }
    case Kind::kString:
      return String(node);
    case Kind::kList:
      return List(node);
    case Kind::kCall:
      return Call(node);
    case Kind::kLiteral:
      break;
  }
  return {node.literal, {}};
}

Result Evaluator::Inner(const std::string& name, const std::string& text) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  VariableExpressionNode inner;
  if (std::string fault = Parse(text, &inner); !fault.empty()) {
    return Error(Concat(fault, " (in variable '", name, "')"));
  }
  const size_t cycles_before = cycles_;
  stack_.push_back(name);
  Result result = Evaluate(inner);
  stack_.pop_back();
  // A result with a cycle is not reused: its error prints the chain of variables from where the
  // evaluation began, which differs elsewhere.
  if (cycles_ == cycles_before && !over_) known_.emplace(name, result);
  return result;
}

Result Evaluator::Variable(const VariableExpressionNode& node, bool* found) {
  *found = true;
  const std::string& name = node.name;
  // The search below compares the name with every variable on the stack.
  if (!Spend(name.size() * (stack_.size() + 1))) return {};
  if (std::find(stack_.begin(), stack_.end(), name) != stack_.end()) {
    ++cycles_;
    std::string chain;
    for (const std::string& v : stack_) chain += Concat("'", v, "', ");
    return Error(Concat("Encountered circular variable substitutions: [", chain, "'", name, "']"));
  }
  const Value* value = variables_.Find(name);
  if (!value) {
    // The fallback is evaluated only if it is used, so that its errors do not count otherwise.
    *found = !node.children.empty();
    return *found ? Evaluate(node.children.front()) : Result();
  }
  if (const auto* text = value->Get<std::string>(); text && IsVariableExpression(*text)) {
    return Inner(name, *text);
  }
  // Arrays are converted element by element on every use.
  const ArrayBase* array = value->array();
  if (array && !Spend(array->size() * sizeof(ExpressionScalar))) return {};
  Result result;
  if (!Convert(*value, &result.value)) {
    return Error(
        Concat("Variable '", name, "' has unsupported type ", ValueTypeKeyword(value->type())));
  }
  return result;
}

Result Evaluator::String(const VariableExpressionNode& node) {
  std::string text;
  for (const VariableExpressionNode& part : node.children) {
    if (over_) return {};
    if (part.kind == Kind::kLiteral) {
      text += std::get<std::string>(part.literal);
      continue;
    }
    bool found = false;
    Result value = Variable(part, &found);
    if (!Spend(Bytes(value))) return {};
    if (!found) {
      // OpenUSD keeps unknown variables in strings, so that paths with such text still work.
      text += Concat("${", part.name, "}");
    } else if (!value.errors.empty()) {
      return value;
    } else if (const auto* held = std::get_if<std::string>(&value.value)) {
      text += *held;
    } else if (value.value.index() != 0) {
      return Error(Concat("String value required for substituting variable '", part.name, "', got ",
                          TypeName(value.value), "."));
    }
    if (text.size() > kMaxExpressionString) over_ = too_long_ = true;
  }
  return {std::move(text), {}};
}

Result Evaluator::List(const VariableExpressionNode& node) {
  Result result;
  ExpressionList list;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Result item = Evaluate(node.children[i]);
    if (over_) return {};
    if (!item.errors.empty()) {
      result.errors.insert(result.errors.end(), item.errors.begin(), item.errors.end());
      continue;
    }
    // Lists hold one type, and neither None nor lists. All elements are evaluated, so that every
    // error is reported, as in OpenUSD.
    const size_t type = item.value.index();
    if (type == 0 || type == 4 || (!list.empty() && list.front().index() != type)) {
      result.errors.push_back(
          Concat("Unexpected value of type ", TypeName(item.value), " in list at element ", i));
      continue;
    }
    if (type == 1) list.emplace_back(std::get<bool>(item.value));
    if (type == 2) list.emplace_back(std::get<int64_t>(item.value));
    if (type == 3) list.emplace_back(std::get<std::string>(item.value));
  }
  if (result.errors.empty()) result.value = std::move(list);
  return result;
}

struct Function {
  std::string_view name;
  size_t min_args, max_args;
};
// No upper limit on the number of arguments.
constexpr size_t kMany = ~size_t{0};
constexpr Function kFunctions[] = {
    {"if", 2, 3},       {"eq", 2, 2},  {"neq", 2, 2},     {"lt", 2, 2},          {"leq", 2, 2},
    {"gt", 2, 2},       {"geq", 2, 2}, {"and", 2, kMany}, {"or", 2, kMany},      {"not", 1, 1},
    {"contains", 2, 2}, {"at", 2, 2},  {"len", 1, 1},     {"defined", 1, kMany},
};

// The first error in the calls of an expression. OpenUSD checks them while it parses, so an unknown
// function is an error even in a branch that is never taken.
std::string CheckCalls(const VariableExpressionNode& node) {
  if (node.kind == Kind::kCall) {
    const auto* f = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                 [&](const Function& fn) { return fn.name == node.name; });
    if (f == std::end(kFunctions)) return Concat("Unknown function ", node.name);
    const size_t args = node.children.size();
    if (args < f->min_args && f->max_args == kMany) {
      return Concat("Function '", f->name, "' requires at least ", f->min_args, " arguments.");
    }
    if (args < f->min_args || args > f->max_args) {
      return Concat("Function '", f->name, "' does not take ", args, " arguments.");
    }
  }
  for (const VariableExpressionNode& child : node.children) {
    if (std::string fault = CheckCalls(child); !fault.empty()) return fault;
  }
  return {};
}

std::string Evaluator::Parse(std::string_view text, VariableExpressionNode* root) {
  if (!Spend(text.size())) return {};
  std::string fault = ParseVariableExpression(text, root);
  return fault.empty() ? CheckCalls(*root) : fault;
}

Result Evaluator::Call(const VariableExpressionNode& node) {
  // CheckCalls has made sure of the name and the number of arguments.
  const std::string_view name = node.name;
  if (name == "if") return If(node);
  if (name == "and" || name == "or") return Logical(node, name == "and");
  if (name == "not") return Not(node);
  if (name == "contains") return Contains(node);
  if (name == "at") return At(node);
  if (name == "len") return Len(node);
  if (name == "defined") return Defined(node);
  return Compare(node);
}

// Whether the values of the branches of an `if` have compatible types. Lists are compatible if
// their elements are; an empty list has no element type and is compatible with empty lists only.
bool SameType(const ExpressionValue& a, const ExpressionValue& b) {
  if (a.index() == 0 || b.index() == 0) return true;
  if (a.index() != b.index()) return false;
  const auto* la = std::get_if<ExpressionList>(&a);
  const auto* lb = std::get_if<ExpressionList>(&b);
  if (!la) return true;
  if (la->empty() || lb->empty()) return la->empty() == lb->empty();
  return la->front().index() == lb->front().index();
}

Result Evaluator::If(const VariableExpressionNode& node) {
  Result condition = Evaluate(node.children[0]);
  if (!condition.errors.empty()) return condition;
  const bool* yes = std::get_if<bool>(&condition.value);
  if (!yes) return Error("if: Condition must be a boolean value");
  // Both branches are evaluated, because their types must agree, but only the errors of the chosen
  // one are reported.
  Result then_value = Evaluate(node.children[1]);
  Result else_value = node.children.size() > 2 ? Evaluate(node.children[2]) : Result();
  const bool comparable = then_value.errors.empty() && else_value.errors.empty();
  if (comparable && !SameType(then_value.value, else_value.value)) {
    return Error("if: if-value and else-value must evaluate to the same type or None.");
  }
  return *yes ? then_value : else_value;
}

Result Evaluator::Logical(const VariableExpressionNode& node, bool is_and) {
  Result result;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Result arg = Evaluate(node.children[i]);
    if (over_) return {};
    if (!arg.errors.empty()) {
      result.errors.insert(result.errors.end(), arg.errors.begin(), arg.errors.end());
      continue;
    }
    const bool* b = std::get_if<bool>(&arg.value);
    if (!b) {
      result.errors.push_back(
          Concat(node.name, ": Invalid type ", TypeName(arg.value), " for argument ", i));
      continue;
    }
    // Evaluation stops at the argument that decides, unless there were errors before: `or(true,
    // ${NOPE})` is true, `or(${NOPE}, true)` is an error.
    if (result.errors.empty() && *b != is_and) return {*b, {}};
  }
  if (result.errors.empty()) result.value = is_and;
  return result;
}

Result Evaluator::Not(const VariableExpressionNode& node) {
  Result arg = Evaluate(node.children[0]);
  if (!arg.errors.empty()) return arg;
  const bool* b = std::get_if<bool>(&arg.value);
  if (!b) return Error(Concat("not: Invalid type ", TypeName(arg.value), " for argument"));
  return {!*b, {}};
}

// The errors of both arguments.
std::vector<std::string> Both(const Result& a, const Result& b) {
  std::vector<std::string> errors = a.errors;
  errors.insert(errors.end(), b.errors.begin(), b.errors.end());
  return errors;
}

Result Evaluator::Compare(const VariableExpressionNode& node) {
  const Result a = Evaluate(node.children[0]);
  const Result b = Evaluate(node.children[1]);
  if (auto errors = Both(a, b); !errors.empty()) return {{}, std::move(errors)};
  const std::string_view op = node.name;
  if (a.value.index() != b.value.index()) {
    return Error(Concat(op, ": Cannot compare values of type ", TypeName(a.value), " and ",
                        TypeName(b.value)));
  }
  if (std::holds_alternative<ExpressionList>(a.value)) {
    return Error(Concat(op, ": Unsupported type for comparison"));
  }
  // None can be compared for equality only, lists not at all.
  if (op == "eq") return {a.value == b.value, {}};
  if (op == "neq") return {a.value != b.value, {}};
  if (a.value.index() == 0) {
    return Error(Concat(op, ": Comparison operation not supported for None"));
  }
  if (op == "lt") return {a.value < b.value, {}};
  if (op == "leq") return {a.value <= b.value, {}};
  if (op == "gt") return {a.value > b.value, {}};
  return {a.value >= b.value, {}};
}

Result Evaluator::Contains(const VariableExpressionNode& node) {
  const Result where = Evaluate(node.children[0]);
  const Result what = Evaluate(node.children[1]);
  if (auto errors = Both(where, what); !errors.empty()) return {{}, std::move(errors)};
  if (const auto* text = std::get_if<std::string>(&where.value)) {
    const auto* part = std::get_if<std::string>(&what.value);
    if (!part) return Error("contains: Invalid search value");
    return {text->find(*part) != std::string::npos, {}};
  }
  const auto* list = std::get_if<ExpressionList>(&where.value);
  if (!list) return Error("contains: Value to search must be a list or string");
  // An empty list has no element type that the search value could disagree with.
  if (list->empty()) return {false, {}};
  if (list->front().index() != what.value.index()) return Error("contains: Invalid search value");
  const bool found = std::any_of(list->begin(), list->end(),
                                 [&](const auto& item) { return Widen(item) == what.value; });
  return {found, {}};
}

Result Evaluator::At(const VariableExpressionNode& node) {
  const Result where = Evaluate(node.children[0]);
  const Result which = Evaluate(node.children[1]);
  if (auto errors = Both(where, which); !errors.empty()) return {{}, std::move(errors)};
  const auto* text = std::get_if<std::string>(&where.value);
  const auto* list = std::get_if<ExpressionList>(&where.value);
  if (!text && !list) return Error("at: Only supported for lists or strings");
  const int64_t* index = std::get_if<int64_t>(&which.value);
  if (!index) return Error("at: Index must be an integer");
  const int64_t size = static_cast<int64_t>(text ? text->size() : list->size());
  // As in Python, negative indexes count from the end. Strings are indexed by bytes, as in
  // OpenUSD.
  const int64_t i = *index < 0 ? *index + size : *index;
  if (i < 0 || i >= size) return Error("at: Index out of range");
  if (text) return {std::string(1, (*text)[static_cast<size_t>(i)]), {}};
  return {Widen((*list)[static_cast<size_t>(i)]), {}};
}

Result Evaluator::Len(const VariableExpressionNode& node) {
  Result arg = Evaluate(node.children[0]);
  if (!arg.errors.empty()) return arg;
  if (const auto* text = std::get_if<std::string>(&arg.value)) {
    return {static_cast<int64_t>(text->size()), {}};
  }
  const auto* list = std::get_if<ExpressionList>(&arg.value);
  if (!list) return Error("len: Unsupported type");
  return {static_cast<int64_t>(list->size()), {}};
}

Result Evaluator::Defined(const VariableExpressionNode& node) {
  bool all = true;
  for (size_t i = 0; i < node.children.size(); ++i) {
    Result arg = Evaluate(node.children[i]);
    if (over_) return {};
    if (!arg.errors.empty()) return arg;
    const auto* name = std::get_if<std::string>(&arg.value);
    if (!name) {
      return Error(Concat("defined: Invalid type ", TypeName(arg.value), " for argument ", i));
    }
    // The value is not evaluated: a variable whose expression has errors is defined.
    all = all && variables_.Find(*name);
  }
  return {all, {}};
}

}  // namespace

bool IsVariableExpression(std::string_view text) {
  // As in OpenUSD, two backquotes alone are plain text.
  return text.size() > 2 && text.front() == '`' && text.back() == '`';
}

VariableExpressionResult EvaluateVariableExpression(RequestContext& context, std::string_view text,
                                                    const Dictionary& variables) {
  return Evaluator(context, variables).Run(text);
}

StringExpressionResult EvaluateStringVariableExpression(RequestContext& context,
                                                        std::string_view text,
                                                        const Dictionary& variables) {
  VariableExpressionResult result = EvaluateVariableExpression(context, text, variables);
  if (!result.errors.empty()) return {{}, std::move(result.errors)};
  if (auto* held = std::get_if<std::string>(&result.value)) return {std::move(*held), {}};
  // None makes an arc or a sublayer conditional: the caller leaves out an empty path.
  if (result.value.index() == 0) return {};
  return {{},
          {Concat("Expression evaluated to '", TypeName(result.value), "' but expected 'string'")}};
}

}  // namespace stagedoor
