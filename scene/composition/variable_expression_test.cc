#include "scene/composition/variable_expression.h"

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

Dictionary Variables() {
  Dictionary variables;
  variables.Set("X", Value(std::string("q")));
  variables.Set("N", Value(int32_t{3}));
  variables.Set("YES", Value(true));
  variables.Set("HALF", Value(0.5));
  variables.Set("E", Value(std::string("`'${X}!'`")));
  variables.Set("LOOP", Value(std::string("`${LOOP}`")));
  variables.Set("LIST", Value(Array<std::string>{"a", "b"}));
  variables.Set("INTS", Value(Array<int32_t>{1, 2}));
  variables.Set("LONGS", Value(Array<int64_t>{5, 6, 7}));
  variables.Set("FLAGS", Value(Array<bool>{true}));
  variables.Set("BAD", Value(std::string("`foo(1)`")));
  return variables;
}

std::string Show(const VariableExpressionResult& result) {
  if (!result.errors.empty()) return "error: " + result.errors.front();
  if (const auto* s = std::get_if<std::string>(&result.value)) return "'" + *s + "'";
  if (const auto* b = std::get_if<bool>(&result.value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&result.value)) return std::to_string(*i);
  if (const auto* list = std::get_if<ExpressionList>(&result.value)) {
    return "list of " + std::to_string(list->size());
  }
  return "None";
}

VariableExpressionResult Evaluate(std::string_view text, const Dictionary& variables) {
  RequestContext context;
  return EvaluateVariableExpression(context, text, variables);
}
StringExpressionResult EvaluateString(std::string_view text, const Dictionary& variables) {
  RequestContext context;
  return EvaluateStringVariableExpression(context, text, variables);
}

// Variables V0 to V(levels - 1), each of which holds `form` with the name of the next variable in
// the place of '@'. The last variable is plain text.
Dictionary Levels(int levels, std::string_view form) {
  Dictionary variables;
  for (int i = 0; i < levels; ++i) {
    std::string text;
    for (const char c : form) {
      text += c == '@' ? "V" + std::to_string(i + 1) : std::string(1, c);
    }
    variables.Set("V" + std::to_string(i), Value(text));
  }
  variables.Set("V" + std::to_string(levels), Value(std::string("ab")));
  return variables;
}

// Expressions with their values or errors in usd-core.
void ExpectAnswers(std::initializer_list<std::pair<const char*, const char*>> cases) {
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(Show(Evaluate(text, Variables())), expected) << text;
  }
}

TEST(VariableExpressionTest, EvaluatesAsOpenUsdDoes) {
  ExpectAnswers({
      {"`'a${X}b'`", "'aqb'"},
      {"`\"${X}${E}\"`", "'qq!'"},
      {"`'${NOPE}'`", "'${NOPE}'"},
      {"`${NOPE:'d'}`", "'d'"},
      {"`'a${NOPE:\"d\"}b'`", "'adb'"},
      {"`${N}`", "3"},
      {"`'a\\'\\${X}\\x41'`", "'a'${X}A'"},
      {"`if(${YES}, 'a', 'b')`", "'a'"},
      {"`if(not(${YES}), 'a')`", "None"},
      {"`if(eq(${X}, 'q'), None, 'b')`", "None"},
      {"`and(lt(1, 2), geq('b', 'a'), neq(1, 2))`", "true"},
      {"`or(false, false)`", "false"},
      {"`or(true, ${NOPE})`", "true"},
      {"`contains(${LIST}, 'b')`", "true"},
      {"`contains('abc', 'bc')`", "true"},
      {"`at(${LIST}, -1)`", "'b'"},
      {"`at('abc', 1)`", "'b'"},
      {"`len([1, 2, 3])`", "3"},
      {"`defined('X', 'NOPE')`", "false"},
      {"`[true, false]`", "list of 2"},
  });
}

TEST(VariableExpressionTest, ReportsErrors) {
  ExpectAnswers({
      {"`${NOPE}`", "error: No value for variable 'NOPE'"},
      {"`'${N}'`", "error: String value required for substituting variable 'N', got int."},
      {"`${HALF}`", "error: Variable 'HALF' has unsupported type double"},
      {"`${LOOP}`", "error: Encountered circular variable substitutions: ['LOOP', 'LOOP']"},
      {"`if('x', 1, 2)`", "error: if: Condition must be a boolean value"},
      {"`if(true, 1, 'a')`",
       "error: if: if-value and else-value must evaluate to the same type or None."},
      {"`eq(1, 'a')`", "error: eq: Cannot compare values of type int and string"},
      {"`at([1], 1)`", "error: at: Index out of range"},
      {"`[1, 'a']`", "error: Unexpected value of type string in list at element 1"},
      {"`foo(1)`", "error: Unknown function foo"},
      {"`if(true)`", "error: Function 'if' does not take 1 arguments."},
      {"`and(true)`", "error: Function 'and' requires at least 2 arguments."},
      {"`'a' 'b'`", "error: Missing ending '`' at character 4"},
      {"`99999999999999999999`",
       "error: Integer 99999999999999999999 out of range. at character 1"},
  });
}

TEST(VariableExpressionTest, ComparesAsOpenUsdDoes) {
  ExpectAnswers({
      {"`eq(1, 2)`", "false"},
      {"`eq(None, None)`", "true"},
      {"`neq('a', 'a')`", "false"},
      {"`lt(1, 1)`", "false"},
      {"`leq(1, 1)`", "true"},
      {"`leq(2, 1)`", "false"},
      {"`gt(2, 1)`", "true"},
      {"`gt(1, 1)`", "false"},
      {"`geq(1, 1)`", "true"},
      {"`geq(0, 1)`", "false"},
      {"`lt(false, true)`", "true"},
      {"`eq(None, 1)`", "error: eq: Cannot compare values of type None and int"},
      {"`lt(None, None)`", "error: lt: Comparison operation not supported for None"},
      {"`eq([1], [1])`", "error: eq: Unsupported type for comparison"},
  });
}

TEST(VariableExpressionTest, LogicIsAsInOpenUsd) {
  ExpectAnswers({
      {"`not(true)`", "false"},
      {"`and(true, true)`", "true"},
      {"`and(true, false)`", "false"},
      {"`and(false, ${NOPE})`", "false"},
      {"`or(false, true)`", "true"},
      {"`or(${NOPE}, true)`", "error: No value for variable 'NOPE'"},
      {"`if(false, 'a', 'b')`", "'b'"},
      {"`if(false, 'a')`", "None"},
      {"`if(true, [1], [2, 3])`", "list of 1"},
      {"`if(true, 1, ${NOPE})`", "1"},
      {"`if(false, 1, ${NOPE})`", "error: No value for variable 'NOPE'"},
      {"`if(${NOPE}, 1, 2)`", "error: No value for variable 'NOPE'"},
      {"`not(1)`", "error: not: Invalid type int for argument"},
      {"`and(true, 1)`", "error: and: Invalid type int for argument 1"},
      {"`if(true, [1], ['a'])`",
       "error: if: if-value and else-value must evaluate to the same type or None."},
      {"`if(true, [1], [])`",
       "error: if: if-value and else-value must evaluate to the same type or None."},
  });
}

TEST(VariableExpressionTest, ListsAreAsInOpenUsd) {
  ExpectAnswers({
      {"`[]`", "list of 0"},
      {"`[None]`", "error: Unexpected value of type None in list at element 0"},
      {"`[${LIST}]`", "error: Unexpected value of type list in list at element 0"},
      {"`at(${INTS}, 1)`", "2"},
      {"`at(${LONGS}, -1)`", "7"},
      {"`at(${FLAGS}, 0)`", "true"},
      {"`at('abc', -3)`", "'a'"},
      {"`at('abc', -4)`", "error: at: Index out of range"},
      {"`at('abc', 3)`", "error: at: Index out of range"},
      {"`at('abc', 'x')`", "error: at: Index must be an integer"},
      {"`at(1, 0)`", "error: at: Only supported for lists or strings"},
      {"`at(${NOPE}, 0)`", "error: No value for variable 'NOPE'"},
      {"`len('abc')`", "3"},
      {"`len(${LONGS})`", "3"},
      {"`len(1)`", "error: len: Unsupported type"},
      {"`len(${NOPE})`", "error: No value for variable 'NOPE'"},
      {"`contains([], 1)`", "false"},
      {"`contains([1, 2], 2)`", "true"},
      {"`contains([1, 2], 3)`", "false"},
      {"`contains([1], 'a')`", "error: contains: Invalid search value"},
      {"`contains('abc', 'x')`", "false"},
      {"`contains('abc', 1)`", "error: contains: Invalid search value"},
      {"`contains(1, 1)`", "error: contains: Value to search must be a list or string"},
      {"`contains(${NOPE}, 1)`", "error: No value for variable 'NOPE'"},
      {"`defined('X', 'N')`", "true"},
      {"`defined('NOPE', 'X')`", "false"},
      {"`defined(1)`", "error: defined: Invalid type int for argument 0"},
      {"`defined(${NOPE})`", "error: No value for variable 'NOPE'"},
      {"`\"${LIST}\"`", "error: String value required for substituting variable 'LIST', got list."},
      {"`\"${BAD}\"`", "error: Unknown function foo (in variable 'BAD')"},
      {"`${BAD}`", "error: Unknown function foo (in variable 'BAD')"},
  });
}

TEST(VariableExpressionTest, ParsesWhatOpenUsdParses) {
  ExpectAnswers({
      {"`True`", "true"},
      {"`False`", "false"},
      {"`none`", "None"},
      {"`-5`", "-5"},
      {"`007`", "7"},
      {"`'a\"b'`", "'a\"b'"},
      {"`'$X'`", "'$X'"},
      {"`'a${NOPE:1}b'`",
       "error: String value required for substituting variable 'NOPE', got int."},
      {"`${NOPE:-1}`", "-1"},
      {"`${NOPE:true}`", "true"},
      {"`len(${NOPE:[1, 2]})`", "2"},
      {"`${X:'d'}`", "'q'"},
      {"`if( true , 'a' , 'b' )`", "'a'"},
      {"`if(true,'a','b') `", "'a'"},
      {"`and (true, true)`", "true"},
      {"`[1, 2]`", "list of 2"},
      {"`[1 ,2]`", "list of 2"},
      {"`[if(true, 1) , 2]`", "list of 2"},
      {"`[\"${NOPE:'x'}\"]`", "list of 1"},
      {"`[ ]`", "list of 0"},
      {"`len( [1] )`", "1"},
      {"`if(false, ${NOPE:[1, 'a']})`", "None"},
      {"`9223372036854775807`", "9223372036854775807"},
      {"`-9223372036854775808`", "-9223372036854775808"},
      {"`'\\101\\x4a\\q\\x4z\\1012'`", "'AJq\004zA2'"},
      {"`'\\x4145\\1015'`", "'A45A5'"},
      {"`\"\\t\\\\\"`", "'\t\\'"},
  });
}

TEST(VariableExpressionTest, RejectsWhatOpenUsdRejects) {
  ExpectAnswers({
      {"`TRUE`", "error: Unexpected expression at character 1"},
      {"`-`", "error: Unexpected expression at character 1"},
      {"`'a`", "error: Missing ending \"'\" at character 4"},
      {"`\"a`", "error: Missing ending '\"' at character 4"},
      {"`${1X}`", "error: Variables must be a C identifier at character 3"},
      {"`${X`", "error: Missing ending '}' at character 4"},
      {"`${X:}`", "error: Expected a fallback value after ':' at character 5"},
      {"`${NOPE:None}`", "error: Expected a fallback value after ':' at character 8"},
      {"`${NOPE:'${X}'}`",
       "error: Variable references are not allowed in fallback string values at character 9"},
      {"`${NOPE:'a${X}'}`",
       "error: Variable references are not allowed in fallback string values at character 10"},
      {"`${NOPE:['a', ${X}]}`", "error: Missing ending ']' at character 12"},
      {"`${NOPE:[1, 'b${X}']}`",
       "error: Variable references are not allowed in fallback string values at character 14"},
      {"`${NOPE:[foo()]}`", "error: Missing ending ']' at character 9"},
      {"`${NOPE:[1, 'a']}`", "error: Unexpected value of type string in list at element 1"},
      {"`[1 2]`", "error: Missing ending ']' at character 3"},
      {"`[1,]`", "error: Missing ending ']' at character 3"},
      {"`[ 1]`", "error: Missing ending ']' at character 3"},
      {"`[1, 2 ]`", "error: Missing ending ']' at character 6"},
      {"`[1, foo]`", "error: Missing ending ']' at character 3"},
      {"`[[1]]`", "error: Missing ending ']' at character 2"},
      {"`if(,1)`", "error: Missing ending ')' at character 4"},
      {"`if(true,)`", "error: Missing ending ')' at character 8"},
      {"`if(true 1)`", "error: Missing ending ')' at character 9"},
      {"`if(true, foo)`", "error: Missing ending ')' at character 8"},
      {"` if(true, 1)`", "error: Unexpected expression at character 1"},
      {"`and(true, true`", "error: Missing ending ')' at character 15"},
      {"`1 2`", "error: Missing ending '`' at character 2"},
      {"`a`", "error: Unexpected expression at character 1"},
      {"`_f(1)`", "error: Unknown function _f"},
      {"`if(true, 'a', 'b'))`", "error: Missing ending '`' at character 19"},
      {"`if(1, 2, 3, 4)`", "error: Function 'if' does not take 4 arguments."},
      {"`eq(1)`", "error: Function 'eq' does not take 1 arguments."},
      {"`not(true, false)`", "error: Function 'not' does not take 2 arguments."},
      {"`neq(1, 2, 3)`", "error: Function 'neq' does not take 3 arguments."},
      {"`lt(1, 2, 3)`", "error: Function 'lt' does not take 3 arguments."},
      {"`leq(1, 2, 3)`", "error: Function 'leq' does not take 3 arguments."},
      {"`gt(1, 2, 3)`", "error: Function 'gt' does not take 3 arguments."},
      {"`geq(1, 2, 3)`", "error: Function 'geq' does not take 3 arguments."},
      {"`contains([1], 1, 2)`", "error: Function 'contains' does not take 3 arguments."},
      {"`at([1], 0, 0)`", "error: Function 'at' does not take 3 arguments."},
      {"`at([1])`", "error: Function 'at' does not take 1 arguments."},
      {"`or(true)`", "error: Function 'or' requires at least 2 arguments."},
      {"`len([1], [2])`", "error: Function 'len' does not take 2 arguments."},
      {"`len()`", "error: Function 'len' does not take 0 arguments."},
      {"`defined()`", "error: Function 'defined' requires at least 1 arguments."},
  });
}

TEST(VariableExpressionTest, NestingIsBounded) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "not(";
  EXPECT_FALSE(Evaluate("`" + text + "`", Variables()).errors.empty());
}

// The values are those of usd-core 26.11. A variable is evaluated once, however often it occurs.
TEST(VariableExpressionTest, RepeatedVariablesAreEvaluatedOnce) {
  const Dictionary doubling = Levels(18, "`\"${@}${@}\"`");
  const VariableExpressionResult result = Evaluate("`${V0}`", doubling);
  ASSERT_TRUE(result.errors.empty()) << result.errors.front();
  EXPECT_EQ(std::get<std::string>(result.value).size(), size_t{2} << 18);

  RequestContext context;
  EXPECT_EQ(EvaluateVariableExpression(context, "`len(${V10})`", doubling).value,
            ExpressionValue(512));
  EXPECT_LT(context.steps(), 200u);
  EXPECT_EQ(Evaluate("`${V0}`", Levels(60, "`if(eq(${@}, ${@}), ${@}, 'b')`")).value,
            ExpressionValue("ab"));
  EXPECT_EQ(Show(Evaluate("`${V0}`", Levels(200, "`\"${@}x\"`"))),
            "'ab" + std::string(200, 'x') + "'");
}

TEST(VariableExpressionTest, ExponentialStringsFailQuickly) {
  for (const int levels : {20, 40, 200}) {
    RequestContext context;
    const VariableExpressionResult result =
        EvaluateVariableExpression(context, "`\"${V0}\"`", Levels(levels, "`\"${@}${@}\"`"));
    ASSERT_EQ(result.errors.size(), 1u) << levels;
    EXPECT_EQ(result.errors.front(), "Expression produces a string of more than 1048576 bytes");
    EXPECT_EQ(result.value.index(), 0u);
    EXPECT_LE(context.steps(), kMaxExpressionSteps) << levels;
    EXPECT_TRUE(context.Check().ok());
  }
}

// The errors of all arguments are reported, so errors multiply as well.
TEST(VariableExpressionTest, ExponentialErrorsAreBounded) {
  for (const char* form : {"`or(${@}, ${@})`", "`or(${@}, ${@}, ${V0})`", "`[${@}, ${@}]`"}) {
    RequestContext context;
    const VariableExpressionResult result =
        EvaluateVariableExpression(context, "`${V0}`", Levels(40, form));
    ASSERT_EQ(result.errors.size(), 1u) << form;
    EXPECT_EQ(result.errors.front(),
              "Expression takes more than 262144 steps to evaluate; use fewer nested variables");
    EXPECT_LE(context.steps(), 2 * kMaxExpressionSteps) << form;
  }
}

// The chain in such an error begins where the evaluation does, so these errors are not reused.
TEST(VariableExpressionTest, CyclesAreReportedAsOpenUsdDoes) {
  Dictionary variables = Variables();
  variables.Set("A", Value(std::string("`${B}`")));
  variables.Set("B", Value(std::string("`${A}`")));
  variables.Set("U", Value(std::string("`or(${A}, ${B})`")));
  variables.Set("C", Value(std::string("`foo(1)`")));
  const std::string begin = "Encountered circular variable substitutions: [";
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"`or(${A}, ${B})`", {begin + "'A', 'B', 'A']", begin + "'B', 'A', 'B']"}},
      {"`\"${A}${B}\"`", {begin + "'A', 'B', 'A']"}},
      {"`or(${U}, ${B})`",
       {begin + "'U', 'A', 'B', 'A']", begin + "'U', 'B', 'A', 'B']", begin + "'B', 'A', 'B']"}},
      {"`and(true, ${C}, ${C})`",
       {"Unknown function foo (in variable 'C')", "Unknown function foo (in variable 'C')"}},
  };
  for (const auto& [text, errors] : cases) {
    EXPECT_EQ(Evaluate(text, variables).errors, errors) << text;
  }
}

TEST(VariableExpressionTest, EndsWithTheRequest) {
  RequestContext cancelled;
  cancelled.Cancel();
  const Dictionary errors = Levels(40, "`or(${@}, ${@})`");
  EXPECT_FALSE(EvaluateVariableExpression(cancelled, "`${V0}`", errors).errors.empty());
  EXPECT_LE(cancelled.steps(), 2048u);

  RequestContext short_of_steps(RequestContext::Clock::time_point::max(), {.max_steps = 3000});
  EXPECT_FALSE(EvaluateVariableExpression(short_of_steps, "`${V0}`", errors).errors.empty());
  EXPECT_TRUE(short_of_steps.failed());
}

TEST(VariableExpressionTest, OnlyBackquotedTextIsAnExpression) {
  EXPECT_TRUE(IsVariableExpression("`x`"));
  for (const char* text : {"", "`", "``", "x", "`x", "x`"})
    EXPECT_FALSE(IsVariableExpression(text));
}

TEST(VariableExpressionTest, AssetPathsMustBeStrings) {
  EXPECT_EQ(EvaluateString("`'./${X}.usd'`", Variables()).value, "./q.usd");
  EXPECT_TRUE(EvaluateString("`None`", Variables()).errors.empty());
  EXPECT_FALSE(EvaluateString("`1`", Variables()).errors.empty());
}

}  // namespace
}  // namespace stagedoor
