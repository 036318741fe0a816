#include "scene/usdc/crate_value_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/usdc/testing/crate_maker.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/refused_value.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

CrateValueRep Inlined(CrateType type, uint32_t payload) {
  return CrateValueRep(type, CrateValueRep::kInlined, payload);
}

uint32_t BitsOf(float number) { return std::bit_cast<uint32_t>(number); }

TEST(CrateValueWriterTest, SmallNumbersAreInlined) {
  const std::pair<Value, CrateValueRep> cases[] = {
      {Value(true), Inlined(CrateType::kBool, 1)},
      {Value(uint8_t{200}), Inlined(CrateType::kUChar, 200)},
      {Value(int32_t{-2}), Inlined(CrateType::kInt, 0xfffffffe)},
      {Value(uint32_t{0xffffffff}), Inlined(CrateType::kUInt, 0xffffffff)},
      {Value(Half(1)), Inlined(CrateType::kHalf, 0x3c00)},
      {Value(0.1f), Inlined(CrateType::kFloat, BitsOf(0.1f))},
      {Value(0.5), Inlined(CrateType::kDouble, BitsOf(0.5f))},
      {Value(-0.0), Inlined(CrateType::kDouble, 0x80000000)},
      {Value(int64_t{-7}), Inlined(CrateType::kInt64, 0xfffffff9)},
      {Value(int64_t{INT32_MAX}), Inlined(CrateType::kInt64, 0x7fffffff)},
      {Value(int64_t{INT32_MIN}), Inlined(CrateType::kInt64, 0x80000000)},
      {Value(uint64_t{UINT32_MAX}), Inlined(CrateType::kUInt64, 0xffffffff)},
      {Value(Vec2h{{Half(1), Half(-2)}}), Inlined(CrateType::kVec2h, 0xc0003c00)},
      {Value(Vec2i{{3, -4}}), Inlined(CrateType::kVec2i, 0xfc03)},
      {Value(Vec3f{{1, 127, -128}}), Inlined(CrateType::kVec3f, 0x807f01)},
      {Value(Vec4d{{0, 1, 2, -1}}), Inlined(CrateType::kVec4d, 0xff020100)},
      {Value(Vec3h{{Half(1), Half(2), Half(3)}}), Inlined(CrateType::kVec3h, 0x030201)},
      {Value(Matrix2d{{{2, 0}, {0, -3}}}), Inlined(CrateType::kMatrix2d, 0xfd02)},
      {Value(Matrix4d::Identity()), Inlined(CrateType::kMatrix4d, 0x01010101)},
      {Value(Specifier::kClass), Inlined(CrateType::kSpecifier, 2)},
      {Value(Permission::kPrivate), Inlined(CrateType::kPermission, 1)},
      {Value(Variability::kUniform), Inlined(CrateType::kVariability, 1)},
      {Value(ValueBlock()), Inlined(CrateType::kValueBlock, 0)},
      {Value(AnimationBlock()), Inlined(CrateType::kAnimationBlock, 0)},
      {Value(Dictionary()), Inlined(CrateType::kDictionary, 0)},
  };
  for (const auto& [value, rep] : cases) {
    CrateMaker crate;
    EXPECT_EQ(crate.Pack(value).bits(), rep.bits()) << ValueTypeKeyword(value.type());
    EXPECT_EQ(crate.recorder().placed(), 0u) << ValueTypeKeyword(value.type());
    EXPECT_EQ(crate.Read(rep), value) << ValueTypeKeyword(value.type());
  }
}

template <typename T>
void ExpectStored(CrateType type, const T& scalar) {
  CrateMaker crate;
  const CrateValueRep rep = crate.Pack(Value(scalar));
  EXPECT_EQ(rep.bits(), CrateValueRep(type, 0, CrateMaker::kValues).bits());
  EXPECT_EQ(crate.Stored(rep), CrateBytesOf(scalar)) << static_cast<int>(type);
  EXPECT_EQ(crate.Read(rep), Value(scalar)) << static_cast<int>(type);
}

TEST(CrateValueWriterTest, NumbersThatDoNotFitAreStored) {
  ExpectStored(CrateType::kDouble, 0.1);
  ExpectStored(CrateType::kDouble, 1e300);
  ExpectStored(CrateType::kInt64, int64_t{INT32_MAX} + 1);
  ExpectStored(CrateType::kInt64, int64_t{INT32_MIN} - 1);
  ExpectStored(CrateType::kUInt64, uint64_t{UINT32_MAX} + 1);
  ExpectStored(CrateType::kVec2i, Vec2i{{128, 0}});
  ExpectStored(CrateType::kVec2i, Vec2i{{0, -129}});
  ExpectStored(CrateType::kVec3f, Vec3f{{1, 0.5f, 0}});
  ExpectStored(CrateType::kVec3f, Vec3f{{1, 128, 0}});
  ExpectStored(CrateType::kVec3f, Vec3f{{1, -129, 0}});
  ExpectStored(CrateType::kVec3d, Vec3d{{1, 2, -0.0}});
  ExpectStored(CrateType::kMatrix2d, Matrix2d{{{1, 2}, {0, 1}}});
  ExpectStored(CrateType::kMatrix2d, Matrix2d{{{1, 0}, {2, 1}}});
  ExpectStored(CrateType::kMatrix2d, Matrix2d{{{1, 0}, {0, 0.5}}});
  ExpectStored(CrateType::kQuatf, Quatf{{{0, 0, 0}}, 1});
  ExpectStored(CrateType::kTimeCode, TimeCodeValue{1});
  ExpectStored(CrateType::kDuration, Duration{1});
}

TEST(CrateValueWriterTest, StringsAreInlinedAsIndices) {
  CrateMaker crate;
  crate.tables().AddString("first");
  EXPECT_EQ(crate.Pack(Value(std::string("second"))), Inlined(CrateType::kString, 1));
  const uint32_t token = crate.tables().AddToken("tok");
  EXPECT_EQ(crate.Pack(Value(Token("tok"))), Inlined(CrateType::kToken, token));
  EXPECT_EQ(crate.Pack(Value(AssetPath{.authored = "tok"})), Inlined(CrateType::kAssetPath, token));
  EXPECT_EQ(crate.Pack(Value(Path::AbsoluteRoot())),
            Inlined(CrateType::kToken, crate.tables().AddToken("/")))
      << "a crate has no type for a single path";
}

// The lowest crate version that has the type.
TEST(CrateValueWriterTest, ValuesRequireTheOldestVersionThatHoldsThem) {
  ArrayEdit edit;
  edit.element = ValueType::kInt;
  const std::pair<Value, int> cases[] = {
      {Value(1), 8},
      {Value(Array<int>{1, 2}), 8},
      {Value(TimeCodeValue{0.5}), 9},
      {Value(Array<TimeCodeValue>{{0.5}}), 9},
      {Value(PathExpressionValue{"/A"}), 10},
      {Value(Array<PathExpressionValue>{{"/A"}}), 10},
      {Value(Relocates()), 11},
      {Value(Spline()), 12},
      {Value(edit), 14},
      {Value(Duration{0.5}), 16},
      {Value(Array<Duration>{{0.5}}), 16},
  };
  for (const auto& [value, minor] : cases) {
    CrateMaker crate;
    crate.Pack(value);
    EXPECT_EQ(crate.writer().version(), (CrateVersion{0, static_cast<uint8_t>(minor), 0}))
        << ValueTypeKeyword(value.type());
    crate.Pack(Value(1));
    EXPECT_EQ(crate.writer().version().minor, minor) << "other values do not lower it";
  }
}

TEST(CrateValueWriterTest, EmptyArraysTakeNoSpace) {
  CrateMaker crate;
  EXPECT_EQ(crate.Pack(Value(Array<int>())),
            CrateValueRep(CrateType::kInt, CrateValueRep::kArray, 0));
  EXPECT_EQ(crate.Pack(Value(Array<Token>())),
            CrateValueRep(CrateType::kToken, CrateValueRep::kArray, 0));
  EXPECT_EQ(crate.recorder().placed(), 0u);
}

TEST(CrateValueWriterTest, ShortArraysAreStoredUncompressed) {
  CrateMaker crate;
  const CrateValueRep rep = crate.Pack(Value(Array<int32_t>{7, -8, 9}));
  EXPECT_EQ(rep.kind(), CrateValueRep(CrateType::kInt, CrateValueRep::kArray, 0).kind());
  EXPECT_EQ(crate.Stored(rep), CrateBytesOf(uint64_t{3}) + CrateBytesOf(int32_t{7}) +
                                   CrateBytesOf(int32_t{-8}) + CrateBytesOf(int32_t{9}));
}

TEST(CrateValueWriterTest, ArraysBeginAtMultiplesOfEight) {
  CrateMaker crate;
  const CrateValueRep bytes = crate.Place(CrateType::kUChar, "abc");
  const CrateValueRep rep = crate.Pack(Value(Array<double>{1, 2}));
  EXPECT_EQ(bytes.payload(), CrateMaker::kValues);
  EXPECT_EQ(rep.payload(), CrateMaker::kValues + 8);
  crate.Place(CrateType::kUChar, "d");
  const CrateValueRep times =
      crate.writer().PackTimes(*MakeTimeSamples({{1, Value(1)}, {2, Value(2)}}));
  EXPECT_EQ(times, CrateValueRep(CrateType::kDoubleVector, 0, CrateMaker::kValues + 8 + 24 + 8));
}

template <typename T>
Array<T> Numbers(size_t count, T step) {
  std::vector<T> numbers;
  for (size_t i = 1; i <= count; ++i) {
    numbers.push_back(static_cast<T>(step * T(static_cast<float>(i))));
  }
  return Array<T>::FromVector(std::move(numbers));
}

template <typename T>
void ExpectCompressedFromSixteenOn(T step) {
  for (const size_t count : {1, 15, 16, 17, 100}) {
    CrateMaker crate;
    const Value array(Numbers<T>(count, step));
    const CrateValueRep rep = crate.Pack(array);
    EXPECT_TRUE(rep.is_array());
    EXPECT_EQ(rep.is_compressed(), count >= 16) << count;
    EXPECT_EQ(crate.Read(rep), array) << count;
  }
}

TEST(CrateValueWriterTest, LongerArraysOfNumbersAreCompressed) {
  ExpectCompressedFromSixteenOn<int32_t>(-3);
  ExpectCompressedFromSixteenOn<uint32_t>(300000);
  ExpectCompressedFromSixteenOn<int64_t>(-4000000000);
  ExpectCompressedFromSixteenOn<uint64_t>(4000000000);
  ExpectCompressedFromSixteenOn<Half>(Half(2));
  ExpectCompressedFromSixteenOn<float>(5);
  ExpectCompressedFromSixteenOn<double>(-1000);
}

// `count` numbers, none of them whole, of which `distinct` are different.
Array<double> WithDistinct(size_t count, size_t distinct) {
  std::vector<double> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(0.5 + static_cast<double>(i % distinct));
  return Array<double>::FromVector(std::move(numbers));
}

TEST(CrateValueWriterTest, FewDistinctNumbersAreStoredInATable) {
  static constexpr struct {
    size_t count;
    size_t distinct;
    bool table;
  } kCases[] = {{16, 4, true},      {16, 5, false},      {19, 4, true},  {20, 5, true},
                {8000, 1024, true}, {8000, 1025, false}, {15, 1, false}, {4096, 1024, true}};
  for (const auto& c : kCases) {
    CrateMaker crate;
    const Value array(WithDistinct(c.count, c.distinct));
    const CrateValueRep rep = crate.Pack(array);
    EXPECT_EQ(rep.is_compressed(), c.table) << c.count << " " << c.distinct;
    EXPECT_EQ(crate.Read(rep), array) << c.count << " " << c.distinct;
    if (!c.table) continue;
    const std::string head = CrateBytesOf(uint64_t{c.count}) + 't' +
                             CrateBytesOf(static_cast<uint32_t>(c.distinct)) + CrateBytesOf(0.5);
    EXPECT_TRUE(crate.Stored(rep).starts_with(head)) << c.count << " " << c.distinct;
  }
}

TEST(CrateValueWriterTest, FloatsAreStoredAsIntegersOnlyIfExact) {
  static constexpr struct {
    double number;
    bool whole;
  } kCases[] = {{3, true},
                {2147483647.0, true},
                {2147483648.0, false},
                {-2147483648.0, true},
                {-2147483649.0, false},
                {0.5, false},
                {-0.0, false},
                {std::numeric_limits<double>::infinity(), false},
                {-std::numeric_limits<double>::infinity(), false}};
  for (const auto& [number, whole] : kCases) {
    CrateMaker crate;
    const Value array(Array<double>::FromVector(std::vector<double>(20, number)));
    const CrateValueRep rep = crate.Pack(array);
    ASSERT_TRUE(rep.is_compressed()) << number;
    EXPECT_EQ(crate.Stored(rep)[8], whole ? 'i' : 't') << number;
    const Value read = crate.Read(rep);
    EXPECT_EQ(read, array) << number;
    EXPECT_EQ(std::signbit((*read.Get<Array<double>>())[0]), std::signbit(number)) << number;
  }
}

TEST(CrateValueWriterTest, WholeNumbersBeforeFractionsUseTheTable) {
  for (const size_t whole : {1, 5, 19}) {
    std::vector<double> numbers(20, 0.5);
    std::fill_n(numbers.begin(), whole, 3);
    CrateMaker crate;
    const Value array(Array<double>::FromVector(numbers));
    const CrateValueRep rep = crate.Pack(array);
    EXPECT_EQ(crate.Stored(rep)[8], 't') << whole;
    EXPECT_EQ(crate.Read(rep), array) << whole;
  }
}

TEST(CrateValueWriterTest, EachListOfAListOpHasItsBit) {
  ListOp<int32_t> op;
  const std::pair<std::vector<int32_t>*, int> lists[] = {
      {&op.explicit_items, 2}, {&op.added, 4},      {&op.deleted, 8},
      {&op.ordered, 16},       {&op.prepended, 32}, {&op.appended, 64}};
  for (const auto& [items, bit] : lists) {
    CrateMaker crate;
    *items = {5, 6};
    const CrateValueRep rep = crate.Pack(Value(op));
    EXPECT_EQ(rep, CrateValueRep(CrateType::kIntListOp, 0, CrateMaker::kValues));
    EXPECT_EQ(crate.Stored(rep), std::string(1, static_cast<char>(bit)) +
                                     CrateBytesOf(uint64_t{2}) + CrateBytesOf(5) + CrateBytesOf(6))
        << bit;
    items->clear();
  }
  CrateMaker crate;
  op.is_explicit = true;
  EXPECT_EQ(crate.Stored(crate.Pack(Value(op))), std::string(1, 1)) << "explicitly empty";
  op = {};
  op.added = {1};
  op.prepended = {2};
  op.appended = {3};
  op.deleted = {4};
  op.ordered = {5};
  std::string all(1, 4 + 8 + 16 + 32 + 64);
  for (int i = 1; i <= 5; ++i) all += CrateBytesOf(uint64_t{1}) + CrateBytesOf(i);
  EXPECT_EQ(crate.Stored(crate.Pack(Value(op))), all) << "in this order";
}

TEST(CrateValueWriterTest, NestedValuesFollowTheDistanceToThem) {
  CrateMaker crate;
  Dictionary data;
  data.Set("a", Value(3));
  const CrateValueRep rep = crate.Pack(Value(data));
  EXPECT_EQ(crate.Stored(rep),
            CrateBytesOf(uint64_t{1}) + CrateBytesOf(crate.tables().AddString("a")) +
                CrateBytesOf(int64_t{8}) + CrateBytesOf(Inlined(CrateType::kInt, 3).bits()));
  const CrateValueRep other = crate.Pack(Value(UnregisteredValue{Value(std::string("a"))}));
  EXPECT_EQ(crate.Stored(other),
            CrateBytesOf(int64_t{8}) + CrateBytesOf(Inlined(CrateType::kString, 0).bits()));
}

TEST(CrateValueWriterTest, SamplesReferToTheirTimes) {
  CrateMaker crate;
  const CrateValueRep rep =
      crate.Pack(Value::FromSamples(MakeTimeSamples({{1, Value(5)}, {2, Value(ValueBlock())}})));
  const CrateValueRep times(CrateType::kDoubleVector, 0, CrateMaker::kValues);
  EXPECT_EQ(rep, CrateValueRep(CrateType::kTimeSamples, 0, CrateMaker::kValues + 24));
  EXPECT_EQ(crate.Stored(times), CrateBytesOf(uint64_t{2}) + CrateBytesOf(1.0) + CrateBytesOf(2.0) +
                                     CrateBytesOf(int64_t{8}) + CrateBytesOf(times.bits()) +
                                     CrateBytesOf(int64_t{8}) + CrateBytesOf(uint64_t{2}) +
                                     CrateBytesOf(Inlined(CrateType::kInt, 5).bits()) +
                                     CrateBytesOf(Inlined(CrateType::kValueBlock, 0).bits()));
}

// The code of an edit: each run of one operation begins with the operation's number in the upper
// byte and the length of the run in the others; the arguments follow.
constexpr int64_t kEnd = std::numeric_limits<int64_t>::min();
int64_t Op(int64_t number, int64_t count) { return number << 56 | count; }

struct EditCase {
  std::vector<ArrayEditStep> steps;
  std::vector<int64_t> code;
  std::vector<int32_t> literals;
};

TEST(CrateValueWriterTest, EditsAreEncodedByRuns) {
  using Kind = ArrayEditStep::Kind;
  const Value seven(7);
  const Value eight(8);
  const EditCase cases[] = {
      {{{Kind::kWrite, {}, seven, 3}}, {Op(0, 1), 0, 3}, {7}},
      {{{Kind::kWrite, 4, {}, 3}}, {Op(1, 1), 4, 3}, {}},
      {{{Kind::kInsert, {}, seven, 3}}, {Op(2, 1), 0, 3}, {7}},
      {{{Kind::kInsert, -1, {}, 3}}, {Op(3, 1), -1, 3}, {}},
      {{{Kind::kPrepend, {}, seven}}, {Op(2, 1), 0, 0}, {7}},
      {{{Kind::kAppend, {}, seven}}, {Op(2, 1), 0, kEnd}, {7}},
      {{{Kind::kErase, {}, {}, -2}}, {Op(4, 1), -2}, {}},
      {{{Kind::kMinSize, {}, {}, 0, 5}}, {Op(5, 1), 5}, {}},
      {{{Kind::kMinSize, {}, seven, 0, 5}}, {Op(6, 1), 5, 0}, {7}},
      {{{Kind::kResize, {}, {}, 0, 5}}, {Op(7, 1), 5}, {}},
      {{{Kind::kResize, {}, seven, 0, 5}}, {Op(8, 1), 5, 0}, {7}},
      {{{Kind::kMaxSize, {}, {}, 0, 5}}, {Op(9, 1), 5}, {}},
      {{{Kind::kWrite, {}, seven, 3}, {Kind::kWrite, {}, eight, 4}, {Kind::kErase, {}, {}, 1}},
       {Op(0, 2), 0, 3, 1, 4, Op(4, 1), 1},
       {7, 8}},
      {{{Kind::kErase, {}, {}, 1}, {Kind::kMaxSize, {}, {}, 0, 2}, {Kind::kErase, {}, {}, 3}},
       {Op(4, 1), 1, Op(9, 1), 2, Op(4, 1), 3},
       {}},
      {{{Kind::kWrite, {}, {}, 3}, {Kind::kInsert, {}, {}, 3}, {Kind::kErase, {}, {}, 1}},
       {Op(4, 1), 1},
       {}},  // steps without an item do nothing
  };
  int number = 0;
  for (const EditCase& c : cases) {
    SCOPED_TRACE(number++);
    CrateMaker crate;
    const CrateValueRep rep = crate.Pack(Value(ArrayEdit{ValueType::kInt, c.steps}));
    EXPECT_EQ(rep.kind(), CrateValueRep(CrateType::kInt, CrateValueRep::kArrayEdit, 0).kind());
    const std::string body = crate.Stored(rep);
    ASSERT_EQ(body.size(), 17u);
    uint64_t reps[2];
    std::memcpy(reps, body.data(), sizeof(reps));
    EXPECT_EQ(body[16], 0);
    EXPECT_EQ(crate.Read(CrateValueRep(reps[0])), Value(Array<int32_t>::FromVector(c.literals)));
    EXPECT_EQ(crate.Read(CrateValueRep(reps[1])), Value(Array<int64_t>::FromVector(c.code)));
  }
}

TEST(CrateValueWriterTest, EmptyEditsTakeNoSpace) {
  CrateMaker crate;
  EXPECT_EQ(crate.Pack(Value(ArrayEdit{ValueType::kFloat, {}})),
            CrateValueRep(CrateType::kFloat, CrateValueRep::kArrayEdit, 0));
  EXPECT_EQ(crate.recorder().placed(), 0u);
}

TEST(CrateValueWriterTest, UnsupportedTypesHaveNoRepresentation) {
  CrateMaker crate;
  EXPECT_EQ(crate.Pack(Value()), CrateValueRep());
  EXPECT_EQ(crate.Pack(Value(Reference())), CrateValueRep());
  EXPECT_EQ(crate.Pack(Value(LayerOffset())), CrateValueRep());
  EXPECT_TRUE(crate.writer().status().ok());
}

TEST(CrateValueWriterTest, TheFirstErrorIsKept) {
  CrateMaker damaged;
  EXPECT_EQ(damaged.Pack(Value::Invalid("b.usdc: broken")), CrateValueRep());
  damaged.Pack(Value(ArrayEdit()));
  EXPECT_EQ(damaged.writer().status(), absl::DataLossError("b.usdc: broken"));
  CrateMaker refused;
  refused.Pack(RefusedValue("no room"));
  EXPECT_EQ(refused.writer().status().code(), absl::StatusCode::kResourceExhausted);
  CrateMaker untyped;
  EXPECT_EQ(untyped.Pack(Value(ArrayEdit())), CrateValueRep());
  EXPECT_EQ(untyped.writer().status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor
