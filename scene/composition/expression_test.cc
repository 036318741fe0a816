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

ExpressionResult Evaluate(std::string_view text, const Dictionary& variables) {
  RequestContext context;
  return EvaluateExpression(context, text, variables);
}
StringExpressionResult EvaluateString(std::string_view text, const Dictionary& variables) {
  RequestContext context;
  return EvaluateStringExpression(context, text, variables);
}

// V0 to V(levels - 1), each of them `form` with the next variable's name for '@'; the last one is
// plain text.
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
    EXPECT_EQ(Show(Evaluate(text, Variables())), expected) << text;
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
    EXPECT_EQ(Show(Evaluate(text, Variables())), expected) << text;
  }
}

TEST(Expression, NestingIsBounded) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "not(";
  EXPECT_FALSE(Evaluate("`" + text + "`", Variables()).errors.empty());
}

// As usd-core 26.11 answers; a variable is evaluated once, however often it is mentioned.
TEST(Expression, VariablesThatMultiplyHaveTheirValue) {
  const Dictionary doubling = Levels(18, "`\"${@}${@}\"`");
  const ExpressionResult result = Evaluate("`${V0}`", doubling);
  ASSERT_TRUE(result.errors.empty()) << result.errors.front();
  EXPECT_EQ(std::get<std::string>(result.value).size(), size_t{2} << 18);

  RequestContext context;
  EXPECT_EQ(EvaluateExpression(context, "`len(${V10})`", doubling).value, ExpressionValue(512));
  EXPECT_LT(context.steps(), 200u);
  EXPECT_EQ(Evaluate("`${V0}`", Levels(60, "`if(eq(${@}, ${@}), ${@}, 'b')`")).value,
            ExpressionValue("ab"));
  EXPECT_EQ(Show(Evaluate("`${V0}`", Levels(200, "`\"${@}x\"`"))),
            "'ab" + std::string(200, 'x') + "'");
}

TEST(Expression, DoublingEndsWithAnErrorAtOnce) {
  for (const int levels : {20, 40, 200}) {
    RequestContext context;
    const ExpressionResult result =
        EvaluateExpression(context, "`\"${V0}\"`", Levels(levels, "`\"${@}${@}\"`"));
    ASSERT_EQ(result.errors.size(), 1u) << levels;
    EXPECT_EQ(result.errors.front(), "Expression makes a string of more than 1048576 bytes");
    EXPECT_EQ(result.value.index(), 0u);
    EXPECT_LE(context.steps(), kMaxExpressionSteps) << levels;
    EXPECT_TRUE(context.Check().ok());
  }
}

// Errors of several arguments are all reported, so errors multiply as well.
TEST(Expression, DoublingErrorsAreBounded) {
  for (const char* form : {"`or(${@}, ${@})`", "`or(${@}, ${@}, ${V0})`", "`[${@}, ${@}]`"}) {
    RequestContext context;
    const ExpressionResult result = EvaluateExpression(context, "`${V0}`", Levels(40, form));
    ASSERT_EQ(result.errors.size(), 1u) << form;
    EXPECT_EQ(result.errors.front(),
              "Expression takes more than 262144 steps to evaluate; its variables may multiply");
    EXPECT_LE(context.steps(), 2 * kMaxExpressionSteps) << form;
  }
}

// The chain that an error shows begins where the evaluation does, so such errors are not shared.
TEST(Expression, CyclesAreReportedAsOpenUsdDoes) {
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

TEST(Expression, EndsWithTheRequest) {
  RequestContext cancelled;
  cancelled.Cancel();
  const Dictionary errors = Levels(40, "`or(${@}, ${@})`");
  EXPECT_FALSE(EvaluateExpression(cancelled, "`${V0}`", errors).errors.empty());
  EXPECT_LE(cancelled.steps(), 2048u);

  RequestContext short_of_steps(RequestContext::Clock::time_point::max(), {.max_steps = 3000});
  EXPECT_FALSE(EvaluateExpression(short_of_steps, "`${V0}`", errors).errors.empty());
  EXPECT_TRUE(short_of_steps.failed());
}

TEST(Expression, OnlyBackquotedTextIsOne) {
  EXPECT_TRUE(IsVariableExpression("`x`"));
  for (const char* text : {"", "`", "``", "x", "`x", "x`"})
    EXPECT_FALSE(IsVariableExpression(text));
}

TEST(Expression, AssetPathsNeedStrings) {
  EXPECT_EQ(EvaluateString("`'./${X}.usd'`", Variables()).value, "./q.usd");
  EXPECT_TRUE(EvaluateString("`None`", Variables()).errors.empty());
  EXPECT_FALSE(EvaluateString("`1`", Variables()).errors.empty());
}

}  // namespace
}  // namespace stagedoor
