// Expected arrays were recorded from OpenUSD, for edits of [1, 2, 3].
#include "scene/values/array_edit.h"

#include "gtest/gtest.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

using Kind = ArrayEditStep::Kind;

ArrayEdit Edit(std::vector<ArrayEditStep> steps) {
  ArrayEdit edit;
  edit.element = ValueType::kInt;
  edit.steps = std::move(steps);
  return edit;
}

ArrayEditStep Literal(Kind kind, int item, int64_t index = 0) {
  return {.kind = kind, .literal = Value(item), .index = index};
}
ArrayEditStep Source(Kind kind, int64_t source, int64_t index = 0) {
  return {.kind = kind, .source = source, .index = index};
}
ArrayEditStep Size(Kind kind, int64_t size, Value fill = Value()) {
  return {.kind = kind, .literal = std::move(fill), .size = size};
}

TEST(ArrayEditTest, StepsMatchOpenUsd) {
  const struct {
    ArrayEditStep step;
    Array<int> expected;
  } cases[] = {
      {Literal(Kind::kWrite, 9, 1), {1, 9, 3}},
      {Literal(Kind::kWrite, 9, 5), {1, 2, 3}},
      {Literal(Kind::kWrite, 9, -1), {1, 2, 9}},
      {Literal(Kind::kWrite, 9, -4), {1, 2, 3}},
      {Source(Kind::kWrite, 0, 2), {1, 2, 1}},
      {Source(Kind::kWrite, 7, 2), {1, 2, 3}},
      {Source(Kind::kWrite, -1, 0), {3, 2, 3}},
      {Literal(Kind::kInsert, 9, 0), {9, 1, 2, 3}},
      {Literal(Kind::kInsert, 9, 3), {1, 2, 3, 9}},
      {Literal(Kind::kInsert, 9, 4), {1, 2, 3}},
      {Literal(Kind::kInsert, 9, -1), {1, 2, 9, 3}},
      {Literal(Kind::kInsert, 9, -3), {9, 1, 2, 3}},
      {Literal(Kind::kInsert, 9, -4), {1, 2, 3}},
      {Source(Kind::kInsert, 0, 2), {1, 2, 1, 3}},
      {Source(Kind::kInsert, 5, 2), {1, 2, 3}},
      {Literal(Kind::kPrepend, 9), {9, 1, 2, 3}},
      {Source(Kind::kAppend, 0), {1, 2, 3, 1}},
      {Source(Kind::kAppend, 9), {1, 2, 3}},
      {Source(Kind::kPrepend, -1), {3, 1, 2, 3}},
      {{.kind = Kind::kErase, .index = 1}, {1, 3}},
      {{.kind = Kind::kErase, .index = 3}, {1, 2, 3}},
      {{.kind = Kind::kErase, .index = -1}, {1, 2}},
      {{.kind = Kind::kErase, .index = -4}, {1, 2, 3}},
      {Size(Kind::kMinSize, 5), {1, 2, 3, 0, 0}},
      {Size(Kind::kMinSize, 5, Value(7)), {1, 2, 3, 7, 7}},
      {Size(Kind::kMinSize, 2), {1, 2, 3}},
      {Size(Kind::kMaxSize, 2), {1, 2}},
      {Size(Kind::kMaxSize, 9), {1, 2, 3}},
      {Size(Kind::kResize, 2), {1, 2}},
      {Size(Kind::kResize, 5, Value(8)), {1, 2, 3, 8, 8}},
      {Size(Kind::kResize, 0), {}},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    const Value edited = ApplyArrayEdit(Edit({cases[i].step}), Value(Array<int>{1, 2, 3}));
    EXPECT_EQ(edited, Value(cases[i].expected)) << "case " << i;
  }
}

TEST(ArrayEditTest, AbsentValuesAreEditedAsEmptyArrays) {
  const ArrayEdit edit = Edit({Literal(Kind::kAppend, 4), Literal(Kind::kAppend, 5)});
  EXPECT_EQ(ApplyArrayEdit(edit, Value()), Value(Array<int>{4, 5}));
  EXPECT_EQ(ApplyArrayEdit(edit, Value(ValueBlock())), Value(ValueBlock()));
}

TEST(ArrayEditTest, BoolArraysAreEditedToo) {
  ArrayEdit edit;
  edit.element = ValueType::kBool;
  edit.steps = {{.kind = Kind::kAppend, .literal = Value(true)}};
  EXPECT_EQ(ApplyArrayEdit(edit, Value(Array<bool>{false})), Value(Array<bool>{false, true}));
}

TEST(ArrayEditTest, ComposedEditDoesBothInOrder) {
  const ArrayEdit weak = Edit({Literal(Kind::kPrepend, 3), Source(Kind::kWrite, 1, 0)});
  const ArrayEdit strong = Edit({Literal(Kind::kAppend, 4)});
  const Value array(Array<int>{1, 2});
  EXPECT_EQ(ApplyArrayEdit(ComposeArrayEdits(strong, weak), array),
            ApplyArrayEdit(strong, ApplyArrayEdit(weak, array)));
  EXPECT_EQ(ApplyArrayEdit(strong, Value(weak)), Value(ComposeArrayEdits(strong, weak)));
}

TEST(ArrayEditTest, GrowthIsBounded) {
  EXPECT_TRUE(ApplyArrayEdit(Edit({Size(Kind::kMinSize, 99999999999)}), Value()).is_invalid());
}

TEST(ArrayEditTest, BlocksAndInvalidValuesAreUnchanged) {
  const ArrayEdit edit = Edit({Literal(Kind::kAppend, 9)});
  EXPECT_EQ(ApplyArrayEdit(edit, Value(ValueBlock())), Value(ValueBlock()));
  EXPECT_EQ(ApplyArrayEdit(edit, Value::Invalid("damaged")), Value::Invalid("damaged"));
  EXPECT_EQ(ApplyArrayEdit(edit, Value()), Value(Array<int>{9}));
  EXPECT_EQ(ApplyArrayEdit(edit, Value(1)), Value(Array<int>{9})) << "of another type";
  ArrayEdit untyped = edit;
  untyped.element = ValueType::kEmpty;
  EXPECT_EQ(ApplyArrayEdit(untyped, Value(Array<int>{1})), Value(Array<int>{1}));
}

TEST(ArrayEditTest, ComposedEditsApplyTheWeakerFirst) {
  const ArrayEdit strong = Edit({Literal(Kind::kAppend, 9)});
  ArrayEdit weak = Edit({Literal(Kind::kAppend, 8)});
  EXPECT_EQ(ComposeArrayEdits(strong, weak).steps.size(), 2u);
  EXPECT_EQ(ApplyArrayEdit(ComposeArrayEdits(strong, weak), Value(Array<int>{1})),
            Value(Array<int>{1, 8, 9}));
  EXPECT_EQ(ApplyArrayEdit(strong, Value(weak)), Value(ComposeArrayEdits(strong, weak)));
  weak.element = ValueType::kEmpty;
  EXPECT_EQ(ComposeArrayEdits(strong, weak).element, ValueType::kInt);
}

TEST(ArrayEditTest, EqualityComparesTypeAndSteps) {
  const ArrayEdit edit = Edit({Literal(Kind::kWrite, 9, 1)});
  EXPECT_EQ(edit, Edit({Literal(Kind::kWrite, 9, 1)}));
  for (const ArrayEditStep& step : {Literal(Kind::kInsert, 9, 1), Literal(Kind::kWrite, 8, 1),
                                    Literal(Kind::kWrite, 9, 2), Source(Kind::kWrite, 9, 1)}) {
    EXPECT_FALSE(edit == Edit({step}));
  }
  ArrayEdit other = edit;
  other.element = ValueType::kUInt;
  EXPECT_FALSE(edit == other);
}

}  // namespace
}  // namespace stagedoor
