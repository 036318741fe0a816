#ifndef STAGEDOOR_CLIENT_CLI_VALUE_FILTER_H_
#define STAGEDOOR_CLIENT_CLI_VALUE_FILTER_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// A condition on values, as in --value '>=1.5'. Immutable.
//
// = (or ==, or no operator) and != compare numbers as numbers, and everything else as text: strings
// as they are, other values as the JSON that `get` prints, such as [0,1,0] and true. <, <=, > and
// >= hold only for numbers. ~ is a pattern (GlobMatches) for the text.
class ValueFilter {
 public:
  // A usage error if an ordering is asked for of something that is not a number.
  static absl::StatusOr<ValueFilter> Parse(std::string_view expression);

  // False for arrays, and if there is no value.
  bool Matches(const v1::Value& value) const;

 private:
  enum class Operator { kEqual, kUnequal, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kLike };
  struct Spelling;

  ValueFilter(Operator op, std::string_view operand);
  bool MatchesNumber(double number) const;

  Operator operator_;
  std::string operand_;
  std::optional<double> number_;  // operand_, if it is one
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_VALUE_FILTER_H_
