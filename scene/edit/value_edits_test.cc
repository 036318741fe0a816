#include "scene/edit/value_edits.h"

#include <limits>
#include <string>

#include "scene/edit/prim_edits.h"
#include "scene/edit/testing/edit_fixture.h"
#include "scene/values/spline.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

constexpr std::string_view kRoot = R"(( timeCodesPerSecond = 48 )
def Xform "W" {
  def Mesh "M" {
    uniform token uni = "a"
    custom double x = 1
    custom rel r
    int i
    timecode t
    Foo odd
  }
}
def "I" ( instanceable = true
  references = </P> ) {
}
def "P" {
  def "C" {
    double z = 1
  }
}
def "Off" ( active = false ) {
  def "C" {
    double z = 1
  }
}
)";

class ValueEditsTest : public EditTest {
 protected:
  void SetUp() override { Begin(kRoot); }

  absl::Status Set(std::string_view path, const Value& value, TimeCode time = TimeCode::Default(),
                   const AttributeCreation& creation = {}) {
    return SetValue(stage(), P(path), time, value, creation);
  }
};

// usd-core 26.11 authors the same in each of these tests.
TEST_F(ValueEditsTest, SpecsAreCreatedAsTheAttributeIs) {
  EXPECT_EQ(Set("/W/M.uni", Value(Token("b"))), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.x", Value(2.0)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.orientation", Value(Token("leftHanded"))), absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" { over \"M\" { uniform token uni = \"b\" custom double x = 2 uniform token "
            "orientation = \"leftHanded\" } }");
  EXPECT_EQ(composed(), 0) << "nothing depends on the edits";
}

TEST_F(ValueEditsTest, TimesAreThoseOfTheStage) {
  EXPECT_EQ(Set("/W/M.x", Value(5.0), TimeCode::At(48)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.t", Value(TimeCodeValue{96})), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.t", Value(96.0), TimeCode::At(96)), absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "over \"W\" { over \"M\" { custom double x double x.timeSamples = { 24: 5, } timecode t = "
      "48 timecode t.timeSamples = { 48: 48, } } }");
  const auto result = Result();
  const Attribute x(result->FindProperty(P("/W/M.x")));
  EXPECT_EQ(x.Get(scene_.context(), TimeCode::At(48)), Value(5.0));
}

TEST_F(ValueEditsTest, ASessionLayerWithARateOfItsOwnSetsThatOfTheStage) {
  for (const std::string_view rate : {"timeCodesPerSecond", "framesPerSecond"}) {
    const bool counts = rate == "timeCodesPerSecond";
    Begin(kRoot, Concat("( ", rate, " = 12 )\n"));
    EXPECT_EQ(stage().TimeOffset(), (LayerOffset{0, counts ? 1.0 : 4.0})) << rate;
  }
  Begin("def \"A\" {}\n", "( framesPerSecond = 12 )\n");
  EXPECT_EQ(stage().TimeOffset(), LayerOffset());
}

TEST_F(ValueEditsTest, SamplesAreAddedReplacedBlockedAndRemoved) {
  Begin(kRoot,
        "over \"W\" { over \"M\" {\ncustom double x.timeSamples = { 1: 1, 2: 2, 3: 3 }\n"
        "}\n}\n");
  EXPECT_EQ(Set("/W/M.x", Value(20.0), TimeCode::At(4)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.x", Value(ValueBlock()), TimeCode::At(8)), absl::OkStatus());
  EXPECT_EQ(ClearValue(stage(), P("/W/M.x"), TimeCode::At(6)), absl::OkStatus());
  EXPECT_EQ(ClearValue(stage(), P("/W/M.x"), TimeCode::At(100)), absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "over \"W\" { over \"M\" { custom double x double x.timeSamples = { 1: 1, 2: 20, 4: None, "
      "} } }");
  for (const double time : {2.0, 4.0, 8.0}) {
    EXPECT_EQ(ClearValue(stage(), P("/W/M.x"), TimeCode::At(time)), absl::OkStatus());
  }
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { custom double x } }");
}

TEST_F(ValueEditsTest, ClearingRemovesDefaultsSamplesAndSplines) {
  EXPECT_EQ(Set("/W/M.x", Value(2.0)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.x", Value(3.0), TimeCode::At(1)), absl::OkStatus());
  Spline spline;
  spline.knots.push_back({.time = 1, .value = 2});
  EXPECT_EQ(Set("/W/M.x", Value(spline)), absl::OkStatus());
  EXPECT_NE(Text().find("spline"), std::string::npos) << Text();
  EXPECT_EQ(ClearValue(stage(), P("/W/M.x"), TimeCode::Default()), absl::OkStatus());
  EXPECT_NE(Text().find("timeSamples"), std::string::npos) << Text();
  EXPECT_EQ(Text().find("x = 2"), std::string::npos) << Text();
  EXPECT_EQ(ClearValue(stage(), P("/W/M.x"), std::nullopt), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { custom double x } }");
  EXPECT_EQ(ClearValue(stage(), P("/W/M.i"), std::nullopt), absl::OkStatus());
  EXPECT_EQ(ClearValue(stage(), P("/Nobody.i"), std::nullopt), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { custom double x } }");
}

TEST_F(ValueEditsTest, BlocksAreAuthoredAsDefaults) {
  EXPECT_EQ(Set("/W/M.x", Value(ValueBlock())), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.i", Value(AnimationBlock())), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { custom double x = None int i = AnimationBlock } }");
}

TEST_F(ValueEditsTest, AttributesAreCreatedWithAType) {
  const AttributeCreation custom{.type_name = Token("float3[]"), .custom = true};
  EXPECT_EQ(Set("/W.new", Value(Array<Vec3f>{{1, 2, 3}}), TimeCode::Default(), custom),
            absl::OkStatus());
  const AttributeCreation uniform{.type_name = Token("double"),
                                  .variability = Variability::kUniform};
  EXPECT_EQ(Set("/W.ns:u", Value(1), TimeCode::Default(), uniform), absl::OkStatus());
  EXPECT_EQ(Set("/W.ns:u", Value(2)), absl::OkStatus()) << "known from now on";
  EXPECT_EQ(Text(), "over \"W\" { custom float3[] new = [(1, 2, 3)] uniform double ns:u = 2 }");
  EXPECT_EQ(composed(), 0);
}

TEST_F(ValueEditsTest, AnAttributeThatExistsKeepsItsType) {
  EXPECT_EQ(Set("/W/M.x", Value(1.0), TimeCode::Default(), {.type_name = Token("double")}),
            absl::OkStatus());
  EXPECT_REFUSED(Set("/W/M.x", Value(1.0f), TimeCode::Default(), {.type_name = Token("float")}),
                 kWrongKind);
  EXPECT_EQ(Set("/W/M.points", Value(Array<Vec3f>()), TimeCode::Default(),
                {.type_name = Token("PointFloat[]")}),
            absl::OkStatus())
      << "another name of the same type";
}

TEST_F(ValueEditsTest, NumbersAreConvertedIfTheyFit) {
  EXPECT_EQ(Set("/W/M.x", Value(3)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.i", Value(2.75)), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { custom double x = 3 int i = 2 } }");
  EXPECT_REFUSED(Set("/W/M.i", Value(int64_t{1} << 40)), kWrongKind);
  EXPECT_REFUSED(Set("/W/M.x", Value(std::string("1"))), kWrongKind);
  EXPECT_REFUSED(Set("/W/M.points", Value(Vec3f{})), kWrongKind);
  EXPECT_REFUSED(Set("/W/M.odd", Value(1)), kWrongKind);
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { custom double x = 3 int i = 2 } }");
}

TEST_F(ValueEditsTest, WhatDoesNotExistIsNotSet) {
  EXPECT_REFUSED(Set("/W/M.none", Value(1)), kAttributeNotFound);
  EXPECT_REFUSED(Set("/Nobody.x", Value(1)), kPrimNotFound);
  EXPECT_REFUSED(Set("/Off/C.z", Value(1)), kPrimNotFound) << "it is not populated";
  EXPECT_REFUSED(Set("/W/M.r", Value(1)), kWrongKind);
  EXPECT_REFUSED(Set("/W/M", Value(1)), kInvalidPath);
  EXPECT_REFUSED(Set("W/M.x", Value(1)), kInvalidPath);
  EXPECT_REFUSED(Set("/W/M.r[/W].x", Value(1)), kInvalidPath);
  EXPECT_REFUSED(Set("/W/M{a=b}.x", Value(1)), kInvalidPath);
  EXPECT_REFUSED(Set("/__Prototype_1.x", Value(1)), kInvalidPath);
  EXPECT_REFUSED(Set("/W/M.new", Value(1), TimeCode::Default(), {.type_name = Token("opaque")}),
                 kWrongKind);
  EXPECT_REFUSED(Set("/W/M.new", Value(1), TimeCode::Default(), {.type_name = Token("Bar")}),
                 kWrongKind);
  EXPECT_EQ(Text(), "") << "a failed edit leaves nothing";
}

TEST_F(ValueEditsTest, InstancesAreNotEditedInside) {
  EXPECT_REFUSED(Set("/I/C.z", Value(2.0)), kWrongKind);
  EXPECT_REFUSED(Set("/I/New.z", Value(2.0)), kWrongKind);
  EXPECT_EQ(Set("/I.z", Value(2.0), TimeCode::Default(), {.type_name = Token("double")}),
            absl::OkStatus());
}

TEST_F(ValueEditsTest, OtherTimesAreRejected) {
  EXPECT_REFUSED(Set("/W/M.x", Value(1), TimeCode::PreTime(1)), kInvalidTime);
  EXPECT_REFUSED(Set("/W/M.x", Value(1), TimeCode::Earliest()), kInvalidTime);
  EXPECT_REFUSED(Set("/W/M.x", Value(AnimationBlock()), TimeCode::At(1)), kInvalidTime);
  EXPECT_REFUSED(ClearValue(stage(), P("/W/M.x"), TimeCode::PreTime(1)), kInvalidTime);
}

TEST_F(ValueEditsTest, PathsOfSpecsAreBounded) {
  std::string path;
  for (size_t i = 0; i < EditedStage::kMaxDepth + 1; ++i) path += "/a";
  EXPECT_REFUSED(DefinePrim(stage(), P(path), Specifier::kDef, Token()), kInvalidPath);
  path.resize(path.size() - 2);
  EXPECT_EQ(DefinePrim(stage(), P(path), Specifier::kDef, Token()), absl::OkStatus());
}

TEST_F(ValueEditsTest, VariantsAreAuthoredInside) {
  Target("/W/M{look=blue}");
  EXPECT_EQ(Set("/W/M.x", Value(5.0)), absl::OkStatus());
  EXPECT_EQ(Set("/P/C.z", Value(5.0)), absl::OkStatus()) << "outside, as in OpenUSD";
  Target("/W/M{look=blue}{sub=a}");
  EXPECT_EQ(Set("/W/M.x", Value(6.0)), absl::OkStatus());
  Target("/W/M{second=s}");
  EXPECT_EQ(Set("/W/M.x", Value(7.0)), absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" { over \"M\" ( prepend variantSets = [\"second\", \"look\"] ) { variantSet "
            "\"look\" = { \"blue\" ( prepend variantSets = \"sub\" ) { custom double x = 5 "
            "variantSet \"sub\" = { \"a\" { custom double x = 6 } } } } variantSet \"second\" = { "
            "\"s\" { custom double x = 7 } } } } over \"P\" { over \"C\" { double z = 5 } }");
}

}  // namespace
}  // namespace stagedoor
