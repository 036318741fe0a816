#include "scene/composition/expression.h"

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
  return variables;
}

std::string Show(const ExpressionResult& result) {
  if (!result.errors.empty()) return "error: " + result.errors.front();
  if (const auto* s = std::get_if<std::string>(&result.value)) return "'" + *s + "'";
  if (const auto* b = std::get_if<bool>(&result.value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&result.value)) return std::to_string(*i);
  if (const auto* list = std::get_if<ExpressionList>(&result.value)) {
    return "list of " + std::to_string(list->size());
  }
  return "None";
}

TEST(Expression, EvaluatesAsOpenUsdDoes) {
  const std::pair<const char*, const char*> cases[] = {
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
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(Show(EvaluateExpression(text, Variables())), expected) << text;
  }
}

TEST(Expression, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
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
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(Show(EvaluateExpression(text, Variables())), expected) << text;
  }
}

TEST(Expression, NestingIsBounded) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "not(";
  EXPECT_FALSE(EvaluateExpression("`" + text + "`", Variables()).errors.empty());
}

TEST(Expression, OnlyBackquotedTextIsOne) {
  EXPECT_TRUE(IsVariableExpression("`x`"));
  for (const char* text : {"", "`", "``", "x", "`x", "x`"})
    EXPECT_FALSE(IsVariableExpression(text));
}

TEST(Expression, AssetPathsNeedStrings) {
  EXPECT_EQ(EvaluateStringExpression("`'./${X}.usd'`", Variables()).value, "./q.usd");
  EXPECT_TRUE(EvaluateStringExpression("`None`", Variables()).errors.empty());
  EXPECT_FALSE(EvaluateStringExpression("`1`", Variables()).errors.empty());
}

}  // namespace
}  // namespace stagedoor
