#include "client/cli/value_filter.h"

#include "base/strings.h"
#include "client/cli/command_line.h"
#include "client/cli/glob.h"
#include "client/cli/json_writer.h"
#include "client/cli/value_json.h"
#include "client/cli/value_numbers.h"

namespace stagedoor {
namespace {

// Whether the value has the precision of a float, so that 0.1 is the nearest float.
bool IsSingle(const v1::Value& value) { return value.has_float_value() || value.has_half_value(); }

std::string TextOf(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::kStringValue:
      return value.string_value();
    case v1::Value::kTokenValue:
      return value.token_value();
    case v1::Value::kPathValue:
      return value.path_value();
    case v1::Value::kPathExpressionValue:
      return value.path_expression_value();
    case v1::Value::kAssetPathValue:
      return value.asset_path_value().authored();
    default:
      break;
  }
  JsonWriter json;
  WriteValue(value, json);
  return json.Take();
}

bool IsComparable(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::KIND_NOT_SET:
    case v1::Value::kBlock:
    case v1::Value::kAnimationBlock:
    case v1::Value::kInvalidValue:
    case v1::Value::kArrayValue:
    case v1::Value::kStringArray:
    case v1::Value::kTokenArray:
    case v1::Value::kAssetPathArray:
    case v1::Value::kPathArray:
    case v1::Value::kPathExpressionArray:
    case v1::Value::kValueArray:
      return false;
    default:
      return true;
  }
}

}  // namespace

struct ValueFilter::Spelling {
  std::string_view text;
  Operator op;
};

ValueFilter::ValueFilter(Operator op, std::string_view operand)
    : operator_(op), operand_(operand), number_(ParseNumber<double>(operand)) {}

absl::StatusOr<ValueFilter> ValueFilter::Parse(std::string_view expression) {
  static constexpr Spelling kSpellings[] = {
      {"==", Operator::kEqual},          {"!=", Operator::kUnequal}, {"<=", Operator::kLessOrEqual},
      {">=", Operator::kGreaterOrEqual}, {"=", Operator::kEqual},    {"<", Operator::kLess},
      {">", Operator::kGreater},         {"~", Operator::kLike}};
  for (const auto& [text, op] : kSpellings) {
    if (!expression.starts_with(text)) continue;
    ValueFilter filter(op, expression.substr(text.size()));
    const bool orders = op == Operator::kLess || op == Operator::kLessOrEqual ||
                        op == Operator::kGreater || op == Operator::kGreaterOrEqual;
    if (orders && !filter.number_.has_value()) {
      return UsageError(Concat("--value ", text, " needs a number, not ", Quoted(filter.operand_)));
    }
    return filter;
  }
  return ValueFilter(Operator::kEqual, expression);
}

bool ValueFilter::MatchesNumber(double number) const {
  switch (operator_) {
    case Operator::kEqual:
      return number == *number_;
    case Operator::kUnequal:
      return number != *number_;
    case Operator::kLess:
      return number < *number_;
    case Operator::kLessOrEqual:
      return number <= *number_;
    case Operator::kGreater:
      return number > *number_;
    case Operator::kGreaterOrEqual:
      return number >= *number_;
    case Operator::kLike:
      break;
  }
  return false;
}

bool ValueFilter::Matches(const v1::Value& value) const {
  if (!IsComparable(value)) return false;
  if (operator_ == Operator::kLike) return GlobMatches(operand_, TextOf(value));
  const std::optional<double> number = NumberOf(value);
  if (number.has_value() && number_.has_value()) {
    const bool equality = operator_ == Operator::kEqual || operator_ == Operator::kUnequal;
    const double wanted = *number_;
    if (equality && IsSingle(value) && static_cast<float>(wanted) == static_cast<float>(*number)) {
      return operator_ == Operator::kEqual;
    }
    return MatchesNumber(*number);
  }
  if (operator_ == Operator::kEqual) return TextOf(value) == operand_;
  if (operator_ == Operator::kUnequal) return TextOf(value) != operand_;
  return false;
}

}  // namespace stagedoor
