#include "scene/values/rewrite_values.h"

#include <gtest/gtest.h>

#include <utility>

#include "scene/values/dictionary.h"

namespace stagedoor {
namespace {

// Doubles numbers.
std::optional<Value> Double(const Value& value) {
  const auto* number = value.Get<double>();
  return number ? std::optional(Value(2 * *number)) : std::nullopt;
}

Value Nested(Value inner, Value beside) {
  Dictionary below;
  below.Set("inner", std::move(inner));
  below.Set("text", Value(std::string("kept")));
  Dictionary all;
  all.Set("below", Value(std::move(below)));
  all.Set("beside", std::move(beside));
  return Value(std::move(all));
}

TEST(RewriteValuesTest, ChangesAValueOrKeepsIt) {
  EXPECT_EQ(RewriteValues(Value(3.0), Double), Value(6.0));
  EXPECT_EQ(RewriteValues(Value(3), Double), Value(3));
}

TEST(RewriteValuesTest, ChangesEntriesAtAnyDepth) {
  EXPECT_EQ(RewriteValues(Nested(Value(3.0), Value(1.0)), Double), Nested(Value(6.0), Value(2.0)));
  EXPECT_EQ(RewriteValues(Nested(Value(3), Value(1.0)), Double), Nested(Value(3), Value(2.0)));
}

TEST(RewriteValuesTest, LooksAtEachValueOnceAndNotAtDictionaries) {
  int looks = 0;
  const Value value = Nested(Value(3.0), Value(1.0));
  const Value same = RewriteValues(value, [&](const Value& held) -> std::optional<Value> {
    EXPECT_FALSE(held.Is<Dictionary>());
    ++looks;
    return std::nullopt;
  });
  EXPECT_EQ(same, value);
  EXPECT_EQ(looks, 3);
}

}  // namespace
}  // namespace stagedoor
