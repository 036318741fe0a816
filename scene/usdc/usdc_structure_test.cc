// Crates whose tables are made entry by entry: which specs and fields become part of the layer.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/usdc/testing/crate_maker.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/values/interpolation.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/payload.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// Makes a crate to which specs are added in any order.
class TablesMaker {
 public:
  struct Field {
    const char* name;
    CrateValueRep rep;
  };

  uint32_t Prim(uint32_t parent, const char* name) {
    return tables().AddPrimPath(parent, Token(name));
  }
  uint32_t Property(uint32_t prim, const char* name) {
    return tables().AddPropertyPath(prim, Token(name));
  }
  uint32_t Variant(uint32_t prim, const char* set, const char* variant) {
    return tables().AddVariantPath(prim, Token(set), Token(variant));
  }
  CrateValueRep Names(const std::vector<std::string>& names) {
    return crate_.Pack(Value(std::vector<Token>(names.begin(), names.end())));
  }
  CrateMaker& crate() { return crate_; }
  CrateTableBuilder& tables() { return crate_.tables(); }

  void Add(uint32_t path, CrateSpecType type, const std::vector<Field>& fields) {
    std::vector<uint32_t> indices;
    for (const Field& field : fields) {
      indices.push_back(tables().AddField(Token(field.name), field.rep));
    }
    tables().AddSpec(path, tables().AddFieldSet(indices), type);
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Read() {
    return ReadUsdcBytes(crate_.File(), "t.usdc");
  }
  // The paths of the layer's specs in its order, or the error.
  std::string Paths() {
    const auto layer = Read();
    if (!layer.ok()) return std::string(layer.status().message());
    std::string paths;
    for (SpecId spec = 0; spec < (*layer)->tree().size(); ++spec) {
      paths += (*layer)->tree().path(spec).ToString() + " ";
    }
    return paths;
  }

 private:
  CrateMaker crate_{CrateMaker::kWithoutRoot};
};

constexpr uint32_t kRoot = CrateTableBuilder::kRootPath;
constexpr auto kDef = CrateValueRep(CrateType::kSpecifier, CrateValueRep::kInlined, 0);

TEST(UsdcStructureTest, SpecsThatAreNotListedAreNotPartOfTheLayer) {
  TablesMaker maker;
  const uint32_t a = maker.Prim(kRoot, "A");
  const uint32_t b = maker.Prim(a, "B");
  const uint32_t c = maker.Prim(a, "C");
  maker.Add(maker.Property(a, "q"), CrateSpecType::kRelationship, {});
  maker.Add(maker.Property(a, "p"), CrateSpecType::kAttribute, {});
  maker.Add(b, CrateSpecType::kPrim, {});
  maker.Add(c, CrateSpecType::kPrim, {});
  maker.Add(maker.Prim(kRoot, "D"), CrateSpecType::kPrim, {});
  maker.Add(a, CrateSpecType::kPrim,
            {{"primChildren", maker.Names({"C"})}, {"properties", maker.Names({"p", "no", "q"})}});
  maker.Add(kRoot, CrateSpecType::kPseudoRoot,
            {{"primChildren", maker.Names({"Unknown", "A", "A"})}});
  EXPECT_EQ(maker.Paths(), "/ /A /A.p /A.q /A/C ") << "the root may list missing children";
  const auto layer = maker.Read();
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ((*layer)->tree().type(1), SpecType::kPrim);
  EXPECT_EQ((*layer)->tree().type(2), SpecType::kAttribute);
  EXPECT_EQ((*layer)->tree().type(3), SpecType::kRelationship);
}

TEST(UsdcStructureTest, ListedChildPrimsOfPrimsMustExist) {
  for (const bool other : {false, true}) {
    TablesMaker maker;
    const uint32_t a = maker.Prim(kRoot, "A");
    maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", maker.Names({"A"})}});
    maker.Add(a, CrateSpecType::kPrim, {{"primChildren", maker.Names({"B"})}});
    if (other) maker.Add(maker.Prim(a, "C"), CrateSpecType::kPrim, {});
    EXPECT_EQ(maker.Paths(),
              "t.usdc: a prim lists the child 'B', which does not exist or is listed twice");
  }
}

TEST(UsdcStructureTest, ChildrenOfAnotherTypeAreLeftOut) {
  TablesMaker maker;
  const uint32_t a = maker.Prim(kRoot, "A");
  maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", maker.Names({"A", "E"})}});
  maker.Add(a, CrateSpecType::kPrim,
            {{"primChildren", maker.Names({"B", "C"})}, {"properties", maker.Names({"p", "q"})}});
  maker.Add(maker.Prim(a, "B"), CrateSpecType::kAttribute, {});
  maker.Add(maker.Prim(a, "C"), CrateSpecType::kPrim, {});
  maker.Add(maker.Property(a, "p"), CrateSpecType::kPrim, {});
  maker.Add(maker.Property(a, "q"), CrateSpecType::kAttribute, {});
  maker.Add(maker.Prim(kRoot, "E"), CrateSpecType::kPrim, {});
  EXPECT_EQ(maker.Paths(), "/ /A /E /A.q /A/C ") << "the other children are kept";
}

TEST(UsdcStructureTest, VariantsBelongToTheirSets) {
  TablesMaker maker;
  const uint32_t a = maker.Prim(kRoot, "A");
  const uint32_t x = maker.Variant(a, "set", "x");
  maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", maker.Names({"A"})}});
  maker.Add(a, CrateSpecType::kPrim,
            {{"variantSetChildren", maker.Names({"gone", "set", "other", "wrong"})}});
  maker.Add(maker.Variant(a, "set", ""), CrateSpecType::kVariantSet,
            {{"variantChildren", maker.Names({"none", "y", "z", "x"})}});
  maker.Add(maker.Variant(a, "other", ""), CrateSpecType::kVariantSet,
            {{"variantChildren", maker.Names({"x"})}});
  maker.Add(maker.Variant(a, "wrong", ""), CrateSpecType::kVariant, {});
  maker.Add(x, CrateSpecType::kVariant, {{"primChildren", maker.Names({"B"})}});
  maker.Add(maker.Variant(a, "set", "y"), CrateSpecType::kVariant, {});
  maker.Add(maker.Variant(a, "set", "z"), CrateSpecType::kVariantSet, {});
  maker.Add(maker.Variant(a, "other", "x"), CrateSpecType::kVariant, {});
  maker.Add(maker.Prim(x, "B"), CrateSpecType::kPrim, {});
  EXPECT_EQ(maker.Paths(), "/ /A /A{set=} /A{other=} /A{set=y} /A{set=x} /A{other=x} /A{set=x}B ");
}

// As in OpenUSD. Our own writer makes such crates of text.
TEST(UsdcStructureTest, VariantSetsAndVariantsHaveAlmostAnyName) {
  for (const char* name : {"look-dev", "1v", "123", ".a", "a|b", "-", "a b", "a/b", "`x`", "a:b"}) {
    TablesMaker maker;
    const uint32_t a = maker.Prim(kRoot, "A");
    const uint32_t x = maker.Variant(a, name, name);
    maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", maker.Names({"A"})}});
    maker.Add(a, CrateSpecType::kPrim, {{"variantSetChildren", maker.Names({name})}});
    maker.Add(maker.Variant(a, name, ""), CrateSpecType::kVariantSet,
              {{"variantChildren", maker.Names({name})}});
    maker.Add(x, CrateSpecType::kVariant, {{"primChildren", maker.Names({"B"})}});
    maker.Add(maker.Prim(x, "B"), CrateSpecType::kPrim, {});
    const std::string n = name;
    EXPECT_EQ(maker.Paths(),
              "/ /A /A{" + n + "=} /A{" + n + "=" + n + "} /A{" + n + "=" + n + "}B ");
  }
}

TEST(UsdcStructureTest, NamesThatAreNotValidAreErrors) {
  for (const char* name : {"", "a=b", "a{b", "a}b", "\xff"}) {
    TablesMaker maker;
    const uint32_t a = maker.Prim(kRoot, "A");
    maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", maker.Names({"A"})}});
    maker.Add(a, CrateSpecType::kPrim, {{"variantSetChildren", maker.Names({name})}});
    maker.Add(maker.Variant(a, name, ""), CrateSpecType::kVariantSet, {});
    EXPECT_NE(maker.Paths().find("is not a valid path element here"), std::string::npos) << name;
  }
}

TEST(UsdcStructureTest, ALayerWithoutARootSpecIsEmpty) {
  TablesMaker maker;
  maker.Add(maker.Prim(kRoot, "A"), CrateSpecType::kPrim, {});
  EXPECT_EQ(maker.Paths(), "/ ");
  const auto layer = maker.Read();
  ASSERT_TRUE(layer.ok());
  EXPECT_TRUE((*layer)->FieldNames(kRootSpec).empty());
  EXPECT_TRUE((*layer)->Get(kRootSpec, Fields().customLayerData).empty());
}

TEST(UsdcStructureTest, PathsHaveOneSpec) {
  TablesMaker maker;
  maker.Add(kRoot, CrateSpecType::kPseudoRoot, {});
  const uint32_t a = maker.Prim(kRoot, "A");
  maker.Prim(kRoot, "B");  // so that there are no more specs than paths
  maker.Add(a, CrateSpecType::kPrim, {});
  EXPECT_EQ(maker.Paths(), "/ ");
  maker.Add(a, CrateSpecType::kPrim, {});
  EXPECT_EQ(maker.Paths(), "t.usdc: duplicate path of spec 2");
}

TEST(UsdcStructureTest, ListsOfChildrenAreChecked) {
  const auto problem = [](auto rep) {
    TablesMaker maker;
    maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", rep(maker.crate())}});
    maker.Add(maker.Prim(kRoot, "A"), CrateSpecType::kPrim, {});
    return maker.Paths();
  };
  const std::string outside = "t.usdc: child names are outside the file at offset ";
  EXPECT_EQ(problem([](CrateMaker& c) { return c.Pack(Value(Array<Token>{Token("A")})); }),
            outside + "8192");
  EXPECT_EQ(problem([](CrateMaker&) { return CrateValueRep(CrateType::kTokenVector, 0, 9000); }),
            outside + "9000");
  EXPECT_EQ(problem([](CrateMaker&) {
              return CrateValueRep(CrateType::kTokenVector, CrateValueRep::kInlined, 8192);
            }),
            outside + "8192");
  const auto list = [](CrateMaker& c, uint64_t count, uint32_t token) {
    return c.Place(CrateType::kTokenVector, CrateBytesOf(count) + CrateBytesOf(token));
  };
  EXPECT_EQ(problem([&](CrateMaker& c) { return list(c, 1, 2); }), "/ /A ");
  EXPECT_EQ(problem([&](CrateMaker& c) { return list(c, 2, 2); }), outside + "8192");
  EXPECT_EQ(problem([&](CrateMaker& c) { return list(c, 1, 3); }),
            "t.usdc: child name refers to a missing token at offset 8192");
}

TEST(UsdcStructureTest, ListsAreBoundedByTheSizeOfTheNamespace) {
  // The namespace has the root and one prim.
  for (const auto& [count, good] : {std::pair(1024 + 8, true), std::pair(1024 + 9, false)}) {
    TablesMaker maker;
    const std::vector<std::string> names(static_cast<size_t>(count), "A");
    maker.Prim(kRoot, "A");
    maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"primChildren", maker.Names(names)}});
    EXPECT_EQ(maker.Read().ok(), good) << count;
  }
}

TEST(UsdcStructureTest, NamespaceFieldsAreHidden) {
  for (const char* name :
       {"primChildren", "properties", "variantChildren", "variantSetChildren", "connectionChildren",
        "targetChildren", "relationshipTargetChildren", "mapperChildren", "expressionChildren"}) {
    TablesMaker maker;
    maker.Add(kRoot, CrateSpecType::kPseudoRoot,
              {{name, maker.Names({})}, {"comment", CrateValueRep()}, {"kept", kDef}});
    const auto layer = maker.Read();
    ASSERT_TRUE(layer.ok()) << layer.status();
    EXPECT_EQ((*layer)->FieldNames(kRootSpec), std::vector<Token>{Token("kept")})
        << name << "; values without a type are left out";
    EXPECT_TRUE((*layer)->Get(kRootSpec, Token(name)).empty()) << name;
    EXPECT_TRUE((*layer)->Get(kRootSpec, Token("comment")).empty());
    EXPECT_EQ((*layer)->Get(kRootSpec, Token("kept")), Value(Specifier::kDef));
  }
}

TEST(UsdcStructureTest, TheFirstOfSeveralFieldsWithOneNameCounts) {
  TablesMaker maker;
  const CrateValueRep five(CrateType::kInt, CrateValueRep::kInlined, 5);
  const CrateValueRep six(CrateType::kInt, CrateValueRep::kInlined, 6);
  maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"a", five}, {"a", six}, {"b", six}, {"a", five}});
  const auto layer = maker.Read();
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ((*layer)->FieldNames(kRootSpec), (std::vector<Token>{Token("a"), Token("b")}));
  EXPECT_EQ((*layer)->Get(kRootSpec, Token("a")), Value(5));
  EXPECT_TRUE((*layer)->Get(kRootSpec, Token("c")).empty());
}

TEST(UsdcStructureTest, PrimsWithoutASpecifierAreOvers) {
  TablesMaker maker;
  maker.Add(kRoot, CrateSpecType::kPseudoRoot,
            {{"primChildren", maker.Names({"A", "B", "C", "D"})}});
  maker.Add(maker.Prim(kRoot, "A"), CrateSpecType::kPrim, {{"specifier", kDef}});
  maker.Add(maker.Prim(kRoot, "B"), CrateSpecType::kPrim, {{"active", kDef}});
  maker.Add(maker.Prim(kRoot, "C"), CrateSpecType::kPrim, {{"specifier", kDef}});
  maker.Add(maker.Prim(kRoot, "D"), CrateSpecType::kPrim, {});
  const auto read = maker.Read();
  ASSERT_TRUE(read.ok()) << read.status();
  const Layer& layer = **read;
  const Token specifier = Fields().specifier;
  const std::vector<Token> with{specifier};
  EXPECT_EQ(layer.Get(1, specifier), Value(Specifier::kDef));
  EXPECT_EQ(layer.Get(2, specifier), Value(Specifier::kOver));
  EXPECT_EQ(layer.Get(3, specifier), Value(Specifier::kDef));
  EXPECT_EQ(layer.Get(4, specifier), Value(Specifier::kOver));
  EXPECT_TRUE(layer.Get(kRootSpec, specifier).empty());
  EXPECT_TRUE(layer.Get(2, Token("kind")).empty()) << "nothing else is added";
  EXPECT_EQ(layer.FieldNames(1), with);
  EXPECT_EQ(layer.FieldNames(2), (std::vector<Token>{Token("active"), specifier}));
  EXPECT_EQ(layer.FieldNames(4), with);
  EXPECT_TRUE(layer.FieldNames(kRootSpec).empty());
  for (const SpecId spec : {1, 2, 3, 4}) EXPECT_TRUE(layer.Has(spec, specifier)) << spec;
  EXPECT_FALSE(layer.Has(kRootSpec, specifier));
  EXPECT_FALSE(layer.Has(4, Token("active")));
}

TEST(UsdcStructureTest, SinglePayloadsBecomeListOps) {
  const Path prim = *Path::Parse("/P");
  const std::pair<Payload, std::vector<Payload>> cases[] = {
      {{"a.usda", prim}, {{"a.usda", prim}}},
      {{"a.usda", {}}, {{"a.usda", {}}}},
      {{"", prim}, {{"", prim}}},
      {{"", {}}, {}},
  };
  for (const auto& [payload, items] : cases) {
    TablesMaker maker;
    const CrateValueRep rep = maker.crate().Pack(Value(payload));
    maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"payload", rep}, {"other", rep}});
    const auto layer = maker.Read();
    ASSERT_TRUE(layer.ok()) << layer.status();
    EXPECT_EQ((*layer)->Get(kRootSpec, Fields().payload), Value(ListOp<Payload>::Explicit(items)));
    EXPECT_EQ((*layer)->Get(kRootSpec, Token("other")), Value(payload));
  }
}

// The elements of a path that has a spec must be valid after their parents; other paths do not
// matter.
TEST(UsdcStructureTest, SpecsMustHaveValidPaths) {
  static constexpr struct {
    const char* parent;
    const char* element;
    bool good;
  } kElements[] = {
      {"/", "A", true},
      {"/A", "B", true},
      {"/A{s=v}", "B", true},
      {"/A.p", "B", false},
      {"/", "{s=v}", false},
      {"/A", "{s=v}", true},
      {"/A", "{s=}", true},
      {"/A{s=v}", "{t=w}", true},
      {"/A.p", "{s=v}", false},
      {"/A", "{}", false},
      {"/A", "{s}", false},
      {"/A", "{=v}", false},
      {"/A", "{s=v", false},
      {"/A", "{s=v=}", false},
      {"/A", "{s{=v}", false},
      {"/A", "{s=v!}", true},
      {"/A", "{s 1=v}", true},
      {"/A.p", "[/T]", true},
      {"/A.p", "[/T", false},
      {"/A", "[/T]", false},
      {"/", "[/T]", false},
      {"/A.p", ".mapper[/T]", true},
      {"/A.p", ".expression", true},
      {"/A", ".expression", false},
      {"/A", "1", false},
      {"/A", "b c", false},
  };
  for (const auto& e : kElements) {
    for (const bool spec : {false, true}) {
      TablesMaker maker;
      maker.Add(kRoot, CrateSpecType::kPseudoRoot, {});
      const uint32_t parent = maker.tables().AddPath(*Path::Parse(e.parent));
      const uint32_t path = maker.Prim(parent, e.element);
      if (spec) maker.Add(path, CrateSpecType::kPrim, {});
      const std::string paths = maker.Paths();
      EXPECT_EQ(paths == "/ ", e.good || !spec) << e.parent << " " << e.element << ": " << paths;
      if (e.good || !spec) continue;
      EXPECT_EQ(paths, "t.usdc: '" + std::string(e.element) + "' is not a valid path element here");
    }
  }
}

TEST(UsdcStructureTest, SamplesAreReadOneByOne) {
  TablesMaker maker;
  CrateMaker& crate = maker.crate();
  const Value values[] = {Value(0.1),
                          Value(0.3),
                          Value(0.5),
                          Value(ValueBlock()),
                          Value(1.5f),
                          Value(2.5f),
                          Value(7),
                          Value(Vec3f{{0.1f, 2, 3}}),
                          Value(Vec3f{{1, 2, 3}}),
                          Value(Vec3d{{0.1, 2, 3}}),
                          Value(Array<double>{1, 2}),
                          Value(Array<float>{1, 2}),
                          Value(Array<Vec3f>{{{1, 2, 3}}}),
                          Value(std::string("text"))};
  std::vector<double> times;
  std::vector<CrateValueRep> reps;
  for (const Value& value : values) {
    times.push_back(static_cast<double>(times.size()));
    reps.push_back(crate.Pack(value));
  }
  times.push_back(100);
  reps.push_back(CrateValueRep(CrateType::kDouble, 0, 1 << 20));  // outside the file
  times.push_back(101);
  reps.push_back(crate.Pack(Value(0.7)));
  times.push_back(102);
  reps.push_back(crate.Pack(Value::FromSamples(MakeTimeSamples({{1, Value(1)}}))));
  const CrateValueRep rep = crate.writer().PackSamples(crate.Pack(Value(times)), reps);
  maker.Add(kRoot, CrateSpecType::kPseudoRoot, {{"timeSamples", rep}});
  for (const auto& [minor, edits] : {std::pair(13, false), std::pair(14, true)}) {
    const auto layer = ReadUsdcBytes(crate.File({0, static_cast<uint8_t>(minor), 0}), "t.usdc");
    ASSERT_TRUE(layer.ok()) << layer.status();
    const Value held = (*layer)->Get(kRootSpec, Fields().timeSamples);
    const TimeSamples* samples = held.samples();
    ASSERT_NE(samples, nullptr) << held.invalid_reason();
    EXPECT_EQ(samples->MayHoldEdits(), edits) << minor;
    const size_t count = std::size(values);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(samples->At(i), values[i]) << i;
      EXPECT_EQ(samples->BlockedAt(i), values[i].is_block()) << i;
      if (i + 1 == count) break;
      for (const double alpha : {0.0, 0.25, 1.0}) {
        EXPECT_EQ(samples->Between(i, alpha), Interpolate(values[i], values[i + 1], alpha)) << i;
      }
    }
    EXPECT_TRUE(samples->At(count).is_invalid());
    EXPECT_TRUE(samples->Between(count, 0.5).is_invalid());
    EXPECT_EQ(samples->At(count + 2).invalid_reason(),
              "t.usdc: time samples cannot contain time samples");
  }
}

}  // namespace
}  // namespace stagedoor
