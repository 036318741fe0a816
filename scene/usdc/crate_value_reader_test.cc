#include "scene/usdc/crate_value_reader.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/usdc/crate_spline.h"
#include "scene/usdc/testing/crate_maker.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

Dictionary Data() {
  Dictionary data;
  data.Set("a", Value(0.1));
  data.Set("b", Value(std::string("text")));
  return data;
}

Spline SampleSpline() {
  Spline spline;
  spline.knots.resize(2);
  spline.knots[1].time = 1;
  spline.knots[0].custom_data = Data();
  spline.knots[1].custom_data = Data();
  return spline;
}

template <typename T>
Value Many(std::initializer_list<T> items) {
  std::vector<T> many;
  while (many.size() < 20) many.insert(many.end(), items.begin(), items.end());
  return Value(Array<T>::FromVector(std::move(many)));
}

// Values of all types that are stored in the file, not inlined.
std::vector<Value> StoredValues() {
  const Reference reference{"a.usda", P("/A"), {2, 0.5}, Data()};
  const Payload payload{"p.usda", P("/P"), {3, 4}};
  const UnregisteredValue text{Value(std::string("what"))};
  ArrayEdit edit{ValueType::kInt, {{ArrayEditStep::Kind::kWrite, {}, Value(7), 3}}};
  std::vector<Value> values = {
      Value(0.1),
      Value(int64_t{1} << 40),
      Value(TimeCodeValue{2}),
      Value(Duration{2}),
      Value(PathExpressionValue{"//A"}),
      Value(Quatd{{{1, 2, 3}}, 4}),
      Value(Vec3d{{0.1, 2, 3}}),
      Value(Array<bool>{true, false, true}),
      Value(Array<uint8_t>{1, 2}),
      Value(Array<int32_t>{1, 2, 3}),
      Value(Array<Token>{Token("a"), Token("b")}),
      Value(Array<std::string>{"x", "", "y"}),
      Value(Array<AssetPath>{{.authored = "x"}, {.authored = "y"}}),
      Value(Array<PathExpressionValue>{{"/A"}, {"/B"}}),
      Value(Array<Matrix2d>{{{{1, 2}, {3, 4}}}}),
      Many<int32_t>({1, -2, 300000}),
      Many<uint32_t>({1, 2, 4000000000}),
      Many<int64_t>({1, -2, 5000000000}),
      Many<uint64_t>({1, 2, 5000000000}),
      Many<Half>({Half(1), Half(-2)}),
      Many<float>({1, 2, -3}),
      Many<double>({1, 2, 3}),
      Many<float>({0.5f, 1}),
      Many<double>({0.1, 1}),
      Value(Data()),
      Value(ListOp<Token>::Explicit({Token("a"), Token("b")})),
      Value(ListOp<std::string>::Prepended({"x", "y"})),
      Value(ListOp<Path>::Prepended({P("/A"), P("/B.c")})),
      Value(ListOp<Reference>::Prepended({reference})),
      Value(ListOp<Payload>::Prepended({payload})),
      Value(ListOp<int32_t>::Prepended({-1, 2})),
      Value(ListOp<uint32_t>::Prepended({1, 2})),
      Value(ListOp<int64_t>::Prepended({-1, 2})),
      Value(ListOp<uint64_t>::Prepended({1, 2})),
      Value(ListOp<UnregisteredValue>::Prepended({text})),
      Value(std::vector<Path>{P("/A"), P("/B")}),
      Value(std::vector<Token>{Token("a"), Token("b")}),
      Value(std::vector<double>{1, 2}),
      Value(std::vector<LayerOffset>{{1, 2}, {3, 4}}),
      Value(std::vector<std::string>{"x", "y"}),
      Value(payload),
      Value(text),
      Value(VariantSelections{{"a", "x"}, {"b", "y"}}),
      Value(Relocates{{P("/A"), P("/B")}, {P("/C"), P("/D")}}),
      Value(SampleSpline()),
      Value(edit),
      Value::FromSamples(MakeTimeSamples({{1, Value(0.1)}, {2, Value(0.2)}})),
  };
  return values;
}

TEST(CrateValueReaderTest, PackedValuesAreReadBack) {
  for (const Value& value : StoredValues()) {
    CrateMaker crate;
    const CrateValueRep rep = crate.Pack(value);
    EXPECT_FALSE(rep.is_inlined()) << ValueTypeKeyword(value.type());
    EXPECT_EQ(crate.Read(rep), value) << ValueTypeKeyword(value.type());
  }
}

TEST(CrateValueReaderTest, EveryTruncationOfAValueIsDamage) {
  for (const Value& value : StoredValues()) {
    CrateMaker crate;
    const CrateValueRep rep = crate.Pack(value);
    const std::string file = crate.File();
    for (size_t size = CrateMaker::kValues; size < file.size(); ++size) {
      const Value read = CrateValueReader(*CrateMaker::OpenBytes(file.substr(0, size))).Read(rep);
      EXPECT_TRUE(read.is_invalid())
          << ValueTypeKeyword(value.type()) << " cut by " << file.size() - size;
      const std::string reason(read.invalid_reason());
      EXPECT_TRUE(reason.starts_with("t.usdc: ")) << reason;
      EXPECT_NE(reason.find(" at offset "), std::string::npos) << reason;
    }
  }
}

TEST(CrateValueReaderTest, ErrorsNameFileAndOffset) {
  CrateMaker crate;
  const CrateValueRep dictionary = crate.Place(CrateType::kDictionary, CrateBytesOf(uint64_t{1}));
  EXPECT_EQ(crate.Problem(dictionary), "t.usdc: bad string index at offset 8200");
  EXPECT_EQ(crate.Problem(CrateValueRep(CrateType::kDictionary, 0, 8201)),
            "t.usdc: dictionary is outside the file at offset 8201");
  EXPECT_EQ(crate.Problem(CrateValueRep(CrateType::kQuatd, CrateValueRep::kInlined, 3)),
            "t.usdc: invalid inlined value at offset 3");
}

CrateValueRep Inlined(CrateType type, uint64_t payload) {
  return CrateValueRep(type, CrateValueRep::kInlined, payload);
}

TEST(CrateValueReaderTest, InlinedValuesBeyondTheLastOfTheirKindAreInvalid) {
  const std::pair<CrateValueRep, Value> good[] = {
      {Inlined(CrateType::kSpecifier, 0), Value(Specifier::kDef)},
      {Inlined(CrateType::kSpecifier, 2), Value(Specifier::kClass)},
      {Inlined(CrateType::kPermission, 0), Value(Permission::kPublic)},
      {Inlined(CrateType::kPermission, 1), Value(Permission::kPrivate)},
      {Inlined(CrateType::kVariability, 0), Value(Variability::kVarying)},
      {Inlined(CrateType::kVariability, 1), Value(Variability::kUniform)},
      {Inlined(CrateType::kVariability, 2), Value(Variability::kUniform)},
      {Inlined(CrateType::kValueBlock, 7), Value(ValueBlock())},
      {Inlined(CrateType::kAnimationBlock, 7), Value(AnimationBlock())},
      {Inlined(CrateType::kDictionary, 0), Value(Dictionary())},
      {Inlined(CrateType::kSpline, 0), Value(Spline())},
      {Inlined(CrateType::kBool, 0), Value(false)},
      {Inlined(CrateType::kBool, 0x100), Value(false)},
      {Inlined(CrateType::kBool, 0xff), Value(true)},
      {Inlined(CrateType::kBool, 0x80), Value(true)},
      {Inlined(CrateType::kTimeCode, std::bit_cast<uint32_t>(1.5f)), Value(TimeCodeValue{1.5})},
      {Inlined(CrateType::kDuration, std::bit_cast<uint32_t>(1.5f)), Value(Duration{1.5})},
      {Inlined(CrateType::kVec4i, 0xff807f01), Value(Vec4i{{1, 127, -128, -1}})},
      {Inlined(CrateType::kPathExpression, 0), Value(PathExpressionValue{"text"})},
      {Inlined(CrateType::kString, 0), Value(std::string("text"))},
      // Small values do not need the flag for inlined values.
      {CrateValueRep(CrateType::kInt, 0, 5), Value(5)},
      {CrateValueRep(CrateType::kFloat, 0, std::bit_cast<uint32_t>(2.5f)), Value(2.5f)},
      {CrateValueRep(CrateType::kString, 0, 0), Value(std::string("text"))},
      {CrateValueRep(CrateType::kSpecifier, 0, 1), Value(Specifier::kOver)},
      {CrateValueRep(CrateType::kPermission, 0, 1), Value(Permission::kPrivate)},
      {CrateValueRep(CrateType::kVariability, 0, 1), Value(Variability::kUniform)},
      {CrateValueRep(CrateType::kValueBlock, 0, 0), Value(ValueBlock())},
      {CrateValueRep(CrateType::kAnimationBlock, 0, 0), Value(AnimationBlock())},
  };
  CrateMaker crate;
  crate.tables().AddString("text");
  const RefPtr<const CrateTables> tables = crate.Open();
  for (const auto& [rep, value] : good) {
    EXPECT_EQ(CrateValueReader(*tables).Read(rep), value)
        << static_cast<int>(rep.type()) << " " << rep.payload();
  }
  const auto tokens = static_cast<uint32_t>(tables->token_count());
  EXPECT_FALSE(CrateValueReader(*tables).Read(Inlined(CrateType::kToken, tokens - 1)).is_invalid());
  EXPECT_FALSE(
      CrateValueReader(*tables).Read(Inlined(CrateType::kAssetPath, tokens - 1)).is_invalid());
  const CrateValueRep bad[] = {
      Inlined(CrateType::kSpecifier, 3),
      Inlined(CrateType::kPermission, 2),
      Inlined(CrateType::kVariability, 3),
      Inlined(CrateType::kToken, tokens),
      Inlined(CrateType::kAssetPath, tokens),
      Inlined(CrateType::kString, 1),
      Inlined(CrateType::kPathExpression, 1),
      Inlined(CrateType::kQuatf, 0),
      Inlined(CrateType::kPayload, 0),
      Inlined(CrateType::kTimeSamples, 0),
      CrateValueRep(CrateType::kSpecifier, 0, 3),
      CrateValueRep(CrateType::kInvalid, 0, 0),
      CrateValueRep(static_cast<CrateType>(62), 0, 0),
  };
  for (const CrateValueRep rep : bad) {
    EXPECT_TRUE(CrateValueReader(*tables).Read(rep).is_invalid())
        << static_cast<int>(rep.type()) << " " << rep.payload();
  }
}

TEST(CrateValueReaderTest, TypesWithoutArraysRejectArrayFlags) {
  CrateMaker crate;
  const CrateValueRep dictionary = crate.Pack(Value(Data()));
  for (const uint64_t flag : {CrateValueRep::kArray, CrateValueRep::kArrayEdit}) {
    const CrateValueRep rep(CrateType::kDictionary, flag, dictionary.payload());
    EXPECT_NE(crate.Problem(rep).find("values of this type cannot be arrays"), std::string::npos);
  }
}

// Versions before 0.5 store a rank with each array, versions before 0.7 a 32-bit count.
TEST(CrateValueReaderTest, ArrayCountsDependOnTheVersion) {
  const std::string items = CrateBytesOf(5) + CrateBytesOf(6);
  const Value value(Array<int32_t>{5, 6});
  static constexpr struct {
    int minor;
    bool rank;
    bool wide;
  } kVersions[] = {{4, true, false}, {5, false, false}, {6, false, false},
                   {7, false, true}, {8, false, true},  {16, false, true}};
  for (const auto& v : kVersions) {
    CrateMaker crate;
    const std::string rank = v.rank ? CrateBytesOf(uint32_t{1}) : "";
    const std::string count = v.wide ? CrateBytesOf(uint64_t{2}) : CrateBytesOf(uint32_t{2});
    const CrateValueRep rep =
        crate.Place(CrateType::kInt, rank + count + items, CrateValueRep::kArray);
    const CrateVersion version{0, static_cast<uint8_t>(v.minor), 0};
    EXPECT_EQ(crate.Read(rep, version), value) << v.minor;
    const std::string file = crate.File(version);
    for (size_t size = CrateMaker::kValues; size < file.size(); ++size) {
      EXPECT_TRUE(
          CrateValueReader(*CrateMaker::OpenBytes(file.substr(0, size))).Read(rep).is_invalid())
          << v.minor << " " << size;
    }
  }
}

// Version 0.5 added compressed integers, 0.6 compressed floats; before, the flag is ignored.
TEST(CrateValueReaderTest, OlderVersionsIgnoreTheCompressedFlag) {
  const auto plain = [](auto number, int minor) {
    std::string bytes = minor < 5 ? CrateBytesOf(uint32_t{1}) : "";
    bytes += CrateBytesOf(uint32_t{16});
    for (int i = 0; i < 16; ++i) bytes += CrateBytesOf(number);
    return bytes;
  };
  constexpr uint64_t kFlags = CrateValueRep::kArray | CrateValueRep::kCompressed;
  for (const int minor : {4, 5, 6}) {
    CrateMaker crate;
    const CrateVersion version{0, static_cast<uint8_t>(minor), 0};
    const CrateValueRep ints = crate.Place(CrateType::kInt, plain(5, minor), kFlags);
    const CrateValueRep floats = crate.Place(CrateType::kFloat, plain(0.5f, minor), kFlags);
    const Value five(Array<int32_t>::FromVector(std::vector<int32_t>(16, 5)));
    const Value half(Array<float>::FromVector(std::vector<float>(16, 0.5f)));
    EXPECT_EQ(crate.Read(ints, version) == five, minor < 5) << minor;
    EXPECT_EQ(crate.Read(floats, version) == half, minor < 6) << minor;
  }
}

TEST(CrateValueReaderTest, ShortArraysAreNeverCompressed) {
  CrateMaker crate;
  std::string bytes = CrateBytesOf(uint64_t{15});
  for (int i = 0; i < 15; ++i) bytes += CrateBytesOf(i);
  const CrateValueRep rep =
      crate.Place(CrateType::kInt, bytes, CrateValueRep::kArray | CrateValueRep::kCompressed);
  const Value value = crate.Read(rep);
  ASSERT_TRUE(value.Is<Array<int32_t>>()) << value.invalid_reason();
  EXPECT_EQ(value.Get<Array<int32_t>>()->size(), 15u);
  EXPECT_EQ((*value.Get<Array<int32_t>>())[14], 14);
}

TEST(CrateValueReaderTest, MalformedCompressedFloatsAreRejected) {
  CrateMaker crate;
  const CrateValueRep good = crate.Pack(Many<double>({0.5, 1.5}));
  ASSERT_FALSE(crate.Read(good).is_invalid());
  std::string bytes = crate.Stored(good);
  constexpr uint64_t kFlags = CrateValueRep::kArray | CrateValueRep::kCompressed;
  bytes[8] = 'x';
  EXPECT_NE(crate.Problem(crate.Place(CrateType::kDouble, bytes, kFlags))
                .find("array with an unknown compression code"),
            std::string::npos);
  bytes[8] = 't';
  bytes[9] = 1;  // the table has one number less
  bytes.erase(13, 8);
  EXPECT_NE(crate.Problem(crate.Place(CrateType::kDouble, bytes, kFlags))
                .find("compressed array has an index outside its table"),
            std::string::npos);
}

TEST(CrateValueReaderTest, PayloadsHaveAnOffsetSinceVersion8) {
  CrateMaker crate;
  const CrateValueRep rep = crate.Pack(Value(Payload{"p.usda", P("/P"), {3, 4}}));
  for (const auto& [minor, offset] :
       {std::pair(7, LayerOffset()), std::pair(8, LayerOffset{3, 4})}) {
    EXPECT_EQ(crate.Read(rep, {0, static_cast<uint8_t>(minor), 0}),
              Value(Payload{"p.usda", P("/P"), offset}))
        << minor;
  }
}

TEST(CrateValueReaderTest, ListOpsDropDuplicatesAsOpenUsdDoes) {
  const std::vector<int32_t> items = {1, 2, 1, 3, 2, 1};
  const std::vector<int32_t> first = {1, 2, 3};
  const std::vector<int32_t> last = {3, 2, 1};
  static constexpr int kExplicit = 2, kAdded = 4, kDeleted = 8, kOrdered = 16, kPrepended = 32,
                       kAppended = 64;
  const auto read = [&](int bits) {
    CrateMaker crate;
    std::string bytes(1, static_cast<char>(bits));
    bytes += CrateBytesOf(uint64_t{items.size()});
    for (const int32_t item : items) bytes += CrateBytesOf(item);
    const Value value = crate.Read(crate.Place(CrateType::kIntListOp, bytes));
    EXPECT_TRUE(value.Is<ListOp<int32_t>>()) << bits << " " << value.invalid_reason();
    return value.Is<ListOp<int32_t>>() ? *value.Get<ListOp<int32_t>>() : ListOp<int32_t>();
  };
  EXPECT_EQ(read(kExplicit).explicit_items, first);
  EXPECT_TRUE(read(kExplicit).is_explicit) << "explicit items make it explicit";
  EXPECT_EQ(read(kAdded).added, items);
  EXPECT_FALSE(read(kAdded).is_explicit);
  EXPECT_EQ(read(kDeleted).deleted, first);
  EXPECT_EQ(read(kOrdered).ordered, items);
  EXPECT_EQ(read(kPrepended).prepended, first);
  EXPECT_EQ(read(kAppended).appended, last);
  EXPECT_TRUE(read(kAdded | 1).is_explicit);
}

TEST(CrateValueReaderTest, VariantSelectionsAreSorted) {
  CrateMaker crate;
  std::string bytes = CrateBytesOf(uint64_t{3});
  for (const char* text : {"b", "x", "c", "y", "a", "z"}) {
    bytes += CrateBytesOf(crate.tables().AddString(text));
  }
  EXPECT_EQ(crate.Read(crate.Place(CrateType::kVariantSelectionMap, bytes)),
            Value(VariantSelections{{"a", "z"}, {"b", "x"}, {"c", "y"}}));
}

TEST(CrateValueReaderTest, UnregisteredValuesAreStringsDictionariesOrListOps) {
  const auto holding = [](const Value& value) {
    CrateMaker crate;
    const CrateValueRep rep = crate.Pack(value);
    const CrateValueRep outer = crate.Place(CrateType::kUnregisteredValue,
                                            CrateBytesOf(int64_t{8}) + CrateBytesOf(rep.bits()));
    return crate.Read(outer);
  };
  const UnregisteredValue text{Value(std::string("x"))};
  for (const Value& good : {Value(std::string("x")), Value(Data()), Value(Dictionary()),
                            Value(ListOp<UnregisteredValue>::Explicit({text}))}) {
    EXPECT_EQ(holding(good), Value(UnregisteredValue{good})) << ValueTypeKeyword(good.type());
  }
  for (const Value& bad : {Value(1), Value(Array<std::string>{"x"}), Value(Token("x")),
                           Value(ListOp<Token>()), Value(text)}) {
    EXPECT_TRUE(holding(bad).is_invalid()) << ValueTypeKeyword(bad.type());
  }
}

TEST(CrateValueReaderTest, ValuesMayReferToOtherValues) {
  CrateMaker crate;
  const CrateValueRep rep = crate.Pack(Value(0.1));
  const CrateValueRep outer =
      crate.Place(CrateType::kValue, CrateBytesOf(int64_t{8}) + CrateBytesOf(rep.bits()));
  EXPECT_EQ(crate.Read(outer), Value(0.1));
}

// The representation may be anywhere; its distance is relative to the offset of the distance
// itself.
TEST(CrateValueReaderTest, DistancesAreRelativeToTheirOwnOffset) {
  CrateMaker crate;
  crate.Place(CrateType::kValue, CrateBytesOf(Inlined(CrateType::kInt, 6).bits()));
  const CrateValueRep back = crate.Place(CrateType::kValue, CrateBytesOf(int64_t{-8}));
  EXPECT_EQ(crate.Read(back), Value(6));
  const CrateValueRep forth =
      crate.Place(CrateType::kValue, CrateBytesOf(int64_t{12}) + std::string(4, '\0') +
                                         CrateBytesOf(Inlined(CrateType::kInt, 7).bits()));
  EXPECT_EQ(crate.Read(forth), Value(7));
}

TEST(CrateValueReaderTest, CustomDataBelongsToTheKnotAtItsTime) {
  Spline spline;
  spline.knots.resize(3);
  for (int i = 0; i < 3; ++i) spline.knots[i].time = i;
  CrateVersion version;
  const std::string blob = EncodeCrateSpline(spline, &version);
  // Custom data for times without a knot is skipped.
  for (const double time : {-1.0, 0.0, 0.5, 1.0, 2.0, 3.0}) {
    CrateMaker crate;
    const std::string data =
        CrateBytesOf(uint64_t{1}) + CrateBytesOf(crate.tables().AddString("key")) +
        CrateBytesOf(int64_t{8}) + CrateBytesOf(Inlined(CrateType::kInt, 3).bits());
    const CrateValueRep rep =
        crate.Place(CrateType::kSpline, CrateBytesOf(uint64_t{blob.size()}) + blob +
                                            CrateBytesOf(uint64_t{1}) + CrateBytesOf(time) + data);
    Spline expected = spline;
    for (SplineKnot& knot : expected.knots) {
      if (knot.time == time) knot.custom_data.Set("key", Value(3));
    }
    EXPECT_EQ(crate.Read(rep), Value(expected)) << time;
  }
}

TEST(CrateValueReaderTest, SampleTimesMustAscend) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<std::vector<double>, bool> cases[] = {
      {{}, true},         {{1}, true},     {{1, 2, 3}, true}, {{1, 1}, false},
      {{1, 2, 2}, false}, {{2, 1}, false}, {{kNan}, false},   {{1, kNan}, false}};
  for (const auto& [times, good] : cases) {
    for (const bool as_array : {false, true}) {
      CrateMaker crate;
      const std::vector<CrateValueRep> values(times.size(), Inlined(CrateType::kInt, 3));
      std::string body = CrateBytesOf(uint64_t{times.size()});
      for (const double time : times) body += CrateBytesOf(time);
      const CrateValueRep at = as_array
                                   ? crate.Place(CrateType::kDouble, body, CrateValueRep::kArray)
                                   : crate.Place(CrateType::kDoubleVector, body);
      const CrateValueRep rep = crate.writer().PackSamples(at, values);
      const Value value = crate.Read(rep);
      EXPECT_EQ(!value.is_invalid(), good) << times.size() << " " << as_array;
      if (!good) continue;
      ASSERT_NE(value.samples(), nullptr) << value.invalid_reason();
      EXPECT_EQ(value.samples()->times_array(), Array<double>::FromVector(times));
    }
  }
}

TEST(CrateValueReaderTest, SamplesMustHaveAsManyValuesAsTimes) {
  for (const size_t count : {0, 1, 2, 3}) {
    CrateMaker crate;
    const CrateValueRep times = crate.Pack(Value(std::vector<double>{1, 2}));
    const std::vector<CrateValueRep> values(count, Inlined(CrateType::kInt, 3));
    const CrateValueRep rep = crate.writer().PackSamples(times, values);
    crate.Place(CrateType::kInt, std::string(64, 'x'));
    EXPECT_EQ(crate.Read(rep).is_invalid(), count != 2) << count;
  }
  CrateMaker crate;
  const CrateValueRep ints = crate.Pack(Value(Array<int32_t>{1, 2}));
  const CrateValueRep rep =
      crate.writer().PackSamples(ints, std::vector<CrateValueRep>(2, Inlined(CrateType::kInt, 3)));
  EXPECT_NE(crate.Problem(rep).find("sample times are not an array of doubles"), std::string::npos);
}

// Reads the code of an edit, as it is stored in a file, with the literals 70 and 80.
struct CodeCase {
  std::vector<int64_t> code;
  bool good;
  std::vector<ArrayEditStep> steps;
};
int64_t Op(uint64_t number, uint64_t count) { return static_cast<int64_t>(number << 56 | count); }

TEST(CrateValueReaderTest, EditsAreReadStepByStep) {
  using Kind = ArrayEditStep::Kind;
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::min();
  const Value literal(80);
  const CodeCase cases[] = {
      {{}, true, {}},
      {{Op(0, 1), 1, 3}, true, {{Kind::kWrite, {}, literal, 3}}},
      {{Op(1, 1), 4, 3}, true, {{Kind::kWrite, 4, {}, 3}}},
      {{Op(2, 1), 1, 3}, true, {{Kind::kInsert, {}, literal, 3}}},
      {{Op(2, 1), 1, 0}, true, {{Kind::kPrepend, {}, literal, 0}}},
      {{Op(2, 1), 1, kEnd}, true, {{Kind::kAppend, {}, literal, 0}}},
      {{Op(3, 2), 5, 0, 6, kEnd}, true, {{Kind::kPrepend, 5, {}, 0}, {Kind::kAppend, 6, {}, 0}}},
      {{Op(1, 2), 5, 0, 6, kEnd}, true, {{Kind::kWrite, 5, {}, 0}, {Kind::kWrite, 6, {}, kEnd}}},
      {{Op(4, 2), -1, 2}, true, {{Kind::kErase, {}, {}, -1}, {Kind::kErase, {}, {}, 2}}},
      {{Op(5, 1), 9}, true, {{Kind::kMinSize, {}, {}, 0, 9}}},
      {{Op(6, 1), 9, 1}, true, {{Kind::kMinSize, {}, literal, 0, 9}}},
      {{Op(7, 1), 9}, true, {{Kind::kResize, {}, {}, 0, 9}}},
      {{Op(8, 1), 9, 1}, true, {{Kind::kResize, {}, literal, 0, 9}}},
      {{Op(9, 1), 0}, true, {{Kind::kMaxSize, {}, {}, 0, 0}}},
      {{Op(9, 2), -1, 4}, true, {{Kind::kMaxSize, {}, {}, 0, 4}}},
      {{Op(0, 3), 2, 3, -1, 3, 1, 3}, true, {{Kind::kWrite, {}, literal, 3}}},
      {{Op(10, 0)}, false, {}},
      {{Op(4, 1)}, false, {}},
      {{Op(4, 2), 1}, false, {}},
      {{Op(0, 1), 1}, false, {}},
      {{Op(0, 2), 1, 1, 1}, false, {}},
      {{Op(4, 1), 1, Op(255, 0)}, false, {}},
  };
  int number = 0;
  for (const CodeCase& c : cases) {
    SCOPED_TRACE(number++);
    CrateMaker crate;
    const CrateValueRep literals = crate.Pack(Value(Array<int32_t>{70, 80}));
    const CrateValueRep code = crate.Pack(Value(Array<int64_t>::FromVector(c.code)));
    const CrateValueRep rep = crate.Place(
        CrateType::kInt,
        CrateBytesOf(literals.bits()) + CrateBytesOf(code.bits()) + std::string(1, '\0'),
        CrateValueRep::kArrayEdit);
    const Value read = crate.Read(rep);
    EXPECT_EQ(!read.is_invalid(), c.good) << read.invalid_reason();
    if (!c.good) {
      EXPECT_TRUE(read.invalid_reason().ends_with(Concat(" at offset ", rep.payload())))
          << read.invalid_reason();
      continue;
    }
    EXPECT_EQ(read, Value(ArrayEdit{ValueType::kInt, c.steps}));
  }
}

TEST(CrateValueReaderTest, DenseEditsAreArrays) {
  CrateMaker crate;
  const CrateValueRep literals = crate.Pack(Value(Array<int32_t>{70, 80}));
  const CrateValueRep rep =
      crate.Place(CrateType::kInt, CrateBytesOf(literals.bits()) + CrateBytesOf(uint64_t{0}) + "\1",
                  CrateValueRep::kArrayEdit);
  EXPECT_EQ(crate.Read(rep), Value(Array<int32_t>{70, 80}));
  EXPECT_EQ(crate.Read(CrateValueRep(CrateType::kInt, CrateValueRep::kArrayEdit, 0)),
            Value(ArrayEdit{ValueType::kInt, {}}));
}

TEST(CrateValueReaderTest, CountsBeyondTheFileAreDamage) {
  for (const uint64_t count : {uint64_t{3}, uint64_t{1} << 40, ~uint64_t{0}}) {
    CrateMaker crate;
    const std::string two = CrateBytesOf(count) + std::string(16, '\0');
    const std::pair<CrateType, uint64_t> kinds[] = {{CrateType::kDouble, CrateValueRep::kArray},
                                                    {CrateType::kDoubleVector, 0},
                                                    {CrateType::kVariantSelectionMap, 0},
                                                    {CrateType::kRelocates, 0}};
    for (const auto& [type, flags] : kinds) {
      EXPECT_NE(crate.Problem(crate.Place(type, two, flags)).find("outside the file"),
                std::string::npos)
          << static_cast<int>(type) << " " << count;
    }
  }
}

}  // namespace
}  // namespace stagedoor
