#include "scene/stage/stage.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/export/flatten.h"
#include "scene/layer/field_keys.h"
#include "scene/testing/test_scene.h"
#include "scene/values/list_op.h"
#include "scene/values/time_code_value.h"

namespace stagedoor {
namespace {

class StageTest : public testing::Test {
 protected:
  std::vector<std::string> Paths(const Stage& stage, PrimFlagsPredicate predicate) {
    std::vector<std::string> paths;
    for (const Prim& prim : stage.Traverse(predicate)) paths.push_back(prim.path().ToString());
    return paths;
  }
  Value Get(const Stage& stage, std::string_view path, TimeCode time) {
    const Property property = stage.FindProperty(P(path));
    EXPECT_TRUE(property.valid()) << path;
    return property.valid() ? Attribute(property).Get(scene_.context(), time) : Value();
  }

  TestScene scene_;
};

using Strings = std::vector<std::string>;

TEST_F(StageTest, PopulatesInNamespaceOrder) {
  scene_.Write("a.usda", R"(
def "B" {
  over "Over" {
  }
  def "In" (active = false) {
    def "Never" {
    }
  }
}
class "C" {
  def "D" {
  }
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Paths(*stage, PrimFlagsPredicate::All()),
            (Strings{"/B", "/B/Over", "/B/In", "/C", "/C/D"}));
  EXPECT_EQ(Paths(*stage, PrimFlagsPredicate::Default()), Strings{"/B"});
  EXPECT_TRUE(stage->FindPrim("/C/D").IsAbstract());
  EXPECT_FALSE(stage->FindPrim("/B/Over").IsDefined());
  EXPECT_FALSE(stage->FindPrim("/B/In/Never").valid());
  EXPECT_FALSE(stage->FindPrim("B").valid());
  EXPECT_FALSE(stage->FindPrim("/B//Over").valid());
}

TEST_F(StageTest, ReferencesApplyTheirOffsets) {
  scene_.Write("ref.usda", R"(
def "R" {
  double x.timeSamples = { 1: 10, 3: 30 }
  timecode t = 2
}
)");
  scene_.Write("a.usda", R"(
def "A" (references = @./ref.usda@</R> (offset = 10; scale = 2)) {
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Get(*stage, "/A.x", TimeCode::At(12)), Value(10.0));
  EXPECT_EQ(Get(*stage, "/A.x", TimeCode::At(14)), Value(20.0));
  EXPECT_EQ(Get(*stage, "/A.x", TimeCode::PreTime(16)), Value(30.0));
  EXPECT_EQ(Get(*stage, "/A.x", TimeCode::Default()), Value());
  EXPECT_EQ(Get(*stage, "/A.t", TimeCode::Default()), Value(TimeCodeValue{14}));
  const AttributeSource source =
      Attribute(stage->FindProperty(P("/A.x"))).Compile(scene_.context());
  EXPECT_EQ(source.SampleTimes(scene_.context()), (Array<double>{12, 16}));
  EXPECT_EQ(source.Bracketing(scene_.context(), 13), std::pair(12.0, 16.0));
}

TEST_F(StageTest, BlockedDefaultsGiveTheFallbackAtNumericTimes) {
  scene_.Write("a.usda", R"(
def Sphere "S" {
  double radius = None
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Get(*stage, "/S.radius", TimeCode::Default()), Value());
  EXPECT_EQ(Get(*stage, "/S.radius", TimeCode::At(1)), Value(1.0));
}

TEST_F(StageTest, InstancesShareAPrototypeAndProxiesHaveTheirOwnPaths) {
  scene_.Write("a.usda", R"(
class "K" {
  def "Child" {
    rel r = </K/Child>
    int v = 1
  }
}
def "I1" (
  instanceable = true
  inherits = </K>
) {
}
def "I2" (
  instanceable = true
  inherits = </K>
) {
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Prim first = stage->FindPrim("/I1"), second = stage->FindPrim("/I2");
  ASSERT_TRUE(first.valid() && second.valid());
  EXPECT_TRUE(first.IsInstance());
  EXPECT_EQ(first.data().prototype, second.data().prototype);
  const Prim proxy = stage->FindPrim("/I2/Child");
  ASSERT_TRUE(proxy.valid());
  EXPECT_TRUE(proxy.IsInstanceProxy());
  EXPECT_EQ(proxy.path(), P("/I2/Child"));
  EXPECT_EQ(proxy.parent(), second);
  EXPECT_EQ(proxy.GetRelationship(Token("r")).Targets(), std::vector<Path>{P("/I2/Child")});
  const auto visible = PrimFlagsPredicate::Default();
  EXPECT_EQ(Paths(*stage, visible), (Strings{"/I1", "/I2"}));
  EXPECT_EQ(Paths(*stage, visible.WithInstanceProxies()),
            (Strings{"/I1", "/I1/Child", "/I2", "/I2/Child"}));
}

TEST_F(StageTest, TheOutermostThenFirstInstanceByPathComposesThePrototype) {
  // The source is visible in targets that point out of the instance.
  scene_.Write("a.usda", R"(
class "Asset" {
  def "Part" {
    rel out = </Asset/Part>
  }
}
def "A" (
  references = </Z>
  instanceable = true
)
{
}
def "Z" {
  def "X" (
    inherits = </Asset>
    instanceable = true
  )
  {
  }
  def "B" (
    inherits = </Asset>
    instanceable = true
  )
  {
  }
}
)");
  for (int i = 0; i < 20; ++i) {
    const auto stage = scene_.Open("a.usda");
    ASSERT_TRUE(stage);
    std::vector<std::string> sources;
    for (const Prototype* prototype : stage->Prototypes()) {
      sources.push_back(prototype->source_path.ToString());
    }
    EXPECT_EQ(sources, (Strings{"/A", "/Z/B"}));
  }
}

TEST_F(StageTest, LoadRulesAndMasksLimitPopulation) {
  scene_.Write("p.usda", R"(
def "P" {
  def "Heavy" {
  }
}
)");
  scene_.Write("a.usda", R"(
def "A" (payload = @./p.usda@</P>) {
}
def "B" {
}
)");
  StageOptions none;
  none.load = LoadRules::None();
  const auto unloaded = scene_.Open("a.usda", none);
  ASSERT_TRUE(unloaded);
  EXPECT_EQ(Paths(*unloaded, PrimFlagsPredicate::All()), (Strings{"/A", "/B"}));
  EXPECT_FALSE(unloaded->FindPrim("/A").IsLoaded());
  EXPECT_TRUE(unloaded->FindPrim("/A").HasPayload());
  StageOptions masked;
  masked.mask = PopulationMask({P("/A/Heavy")});
  const auto part = scene_.Open("a.usda", masked);
  ASSERT_TRUE(part);
  EXPECT_EQ(Paths(*part, PrimFlagsPredicate::All()), (Strings{"/A", "/A/Heavy"}));
}

TEST_F(StageTest, VisitErrorsStopsWhenTheVisitorReturnsFalse) {
  scene_.Write("a.usda", R"((
  subLayers = [@./none.usda@]
)
def "A" (references = [@./gone.usda@, @./lost.usda@]) {
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  for (const size_t most : {1, 2, 3, 100}) {
    Strings seen;
    stage->VisitErrors([&](const CompositionError& error) {
      seen.push_back(error.path.empty() ? "" : error.path.ToString());
      return seen.size() < most;
    });
    Strings all = {"", "/A", "/A"};  // the error of the layer stack comes first
    all.resize(std::min(most, all.size()));
    EXPECT_EQ(seen, all);
  }
}

TEST_F(StageTest, MetadataMergesDictionariesAndAppliesListOps) {
  scene_.Write("weak.usda", R"(
def "A" (
  customData = { int a = 1
    int b = 2 }
  apiSchemas = ["X"]
) {
}
)");
  scene_.Write("a.usda", R"((
  subLayers = [@./weak.usda@]
)
over "A" (
  customData = { int b = 3 }
  prepend apiSchemas = ["Y"]
) {
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Value data = stage->FindPrim("/A").Metadata(scene_.context(), Fields().customData);
  const auto* dictionary = data.Get<Dictionary>();
  ASSERT_TRUE(dictionary);
  EXPECT_EQ(*dictionary->Find("a"), Value(1));
  EXPECT_EQ(*dictionary->Find("b"), Value(3));
}

TEST_F(StageTest, ListOpItemsCountAsSteps) {
  std::string names;
  for (int i = 0; i < 3000; ++i) names += "\"S" + std::to_string(i) + "API\", ";
  scene_.Write("a.usda", "def \"A\" (delete apiSchemas = [" + names + "]) {\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  RequestContext context;
  const std::vector<MetadataField> fields = stage->FindPrim("/A").AllMetadata(context);
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].value, Value(ListOp<Token>::Explicit({})));
  EXPECT_GE(context.steps(), 3000u);
}

TEST_F(StageTest, LayerFieldsHaveFallbacksOnTheStageOnly) {
  scene_.Write("a.usda", "(metersPerUnit = 2)\ndef \"A\" {\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->Metadata(Token("metersPerUnit")), Value(2.0));
  EXPECT_EQ(stage->Metadata(Token("kilogramsPerUnit")), Value(1.0));
  EXPECT_EQ(stage->Metadata(Token("upAxis")), Value(Token("Y")));
  EXPECT_EQ(stage->Metadata(Token("customLayerData")), Value(Dictionary()));
  EXPECT_EQ(stage->Metadata(Token("kind")), Value());
  EXPECT_EQ(stage->PseudoRoot().Metadata(scene_.context(), Token("upAxis")), Value());
  EXPECT_EQ(stage->FindPrim("/A").Metadata(scene_.context(), Token("kind")), Value());
}

TEST_F(StageTest, ValuesKeepTheirAuthoredType) {
  scene_.Write("weak.usda", R"(
def Cube "A" {
  double i = 1.5
  int d.timeSamples = { 0: 1, 10: 3 }
  double s.timeSamples = { 0: 1, 10: 3 }
  token size = "word"
}
)");
  scene_.Write("a.usda", R"((subLayers = [@./weak.usda@])
over "A" {
  int i
  double d
  string s
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Attribute(stage->FindProperty(P("/A.i"))).TypeName(), Token("int"));
  EXPECT_EQ(Get(*stage, "/A.i", TimeCode::Default()), Value(1.5));
  EXPECT_EQ(Get(*stage, "/A.d", TimeCode::At(9)), Value(1));  // integers do not interpolate
  EXPECT_EQ(Get(*stage, "/A.s", TimeCode::At(5)), Value(2.0));
  EXPECT_EQ(Get(*stage, "/A.size", TimeCode::Default()), Value(Token("word")));
}

TEST_F(StageTest, UnknownTypeNamesAppearInMetadataOnly) {
  scene_.Write("a.usda", R"(
def "A" {
  foo b = "x"
  matrix[] m
  Schema s = "t"
  PointFloat[] p
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  for (const auto& [name, word] : {std::pair("b", "foo"), {"m", "matrix[]"}, {"s", "Schema"}}) {
    const Attribute attribute(stage->FindProperty(P("/A").AppendProperty(Token(name))));
    EXPECT_EQ(attribute.TypeName(), Token()) << name;
    EXPECT_EQ(attribute.Metadata(scene_.context(), Fields().typeName), Value(Token(word)));
  }
  EXPECT_EQ(Attribute(stage->FindProperty(P("/A.p"))).TypeName(), Token("PointFloat[]"));
  const auto flat = FlattenStage(scene_.context(), *stage, {});
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ((*flat)->tree().properties((*flat)->tree().Find(P("/A"))).size(), 1u);
}

TEST_F(StageTest, ForwardedTargetsSurviveCycles) {
  scene_.Write("a.usda", R"(
def "A" {
  rel one = </A.two>
  rel two = [</A.one>, </A>]
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Relationship one = stage->FindPrim("/A").GetRelationship(Token("one"));
  EXPECT_EQ(one.ForwardedTargets(scene_.context()), std::vector<Path>{P("/A")});
}

TEST_F(StageTest, OnlyDirectlyInheritedClassesAreWeakerThanDefs) {
  scene_.Write("a.usda", R"(
def "Weak" {
}
class "Class" {
}
over "Inherits" (inherits = </Class>; references = </Weak>) {
}
over "Specializes" (specializes = [</Class>, </Weak>]) {
}
over "DefBelow" (inherits = </DefClass>; references = </Class>) {
}
def "DefClass" {
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->FindPrim("/Inherits").specifier(), Specifier::kDef);
  EXPECT_EQ(stage->FindPrim("/Specializes").specifier(), Specifier::kClass);
  EXPECT_EQ(stage->FindPrim("/DefBelow").specifier(), Specifier::kDef);
}

TEST_F(StageTest, VariantSetsOfRelocationSourcesAreListed) {
  scene_.Write("ref.usda", R"(
def "R" {
  def "Old" (variantSets = ["w"]) {
    variantSet "w" = {
      "a" {
      }
    }
  }
}
)");
  scene_.Write("a.usda", R"((
  relocates = { </P/Old>: </P/New> }
)
def "P" (references = @ref.usda@</R>) {
  over "Old" (variantSets = ["ignored"]) {
    variantSet "ignored" = {
      "b" {
      }
    }
  }
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  std::vector<std::string> names;
  for (const VariantSetInfo& set : stage->FindPrim("/P/New").VariantSets(scene_.context())) {
    names.push_back(set.name + ":" + set.choices.at(0));
  }
  EXPECT_EQ(names,
            (Strings{"ignored:b", "w:a"}));  // as in OpenUSD, although opinions there are ignored
}

TEST_F(StageTest, TargetsRemovedByRelocatesStayRemoved) {
  scene_.Write("weak.usda", R"(
def "C" {
  def "Z" (references = </K>) {
  }
}
def "K" {
  def "X" {
    rel r = [</C/X.y>, </C/Q>, </K/X>]
  }
}
)");
  scene_.Write("a.usda", R"((
  relocates = { </C/Z>: </C/X> }
)
def "C" (references = @weak.usda@</C>) {
}
def "B" {
  def "Z" (inherits = </C/X>) {
  }
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  std::vector<std::string> targets;
  for (const Path target : Relationship(stage->FindProperty(P("/B/Z/X.r"))).Targets()) {
    targets.push_back(target.ToString());
  }
  EXPECT_EQ(targets, (Strings{"/C/Q", "/B/Z/X"}));
}

// Sixty levels of prims, each of which references the next level twice.
TEST_F(StageTest, StagesWithTooManyPrimsAreRejected) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const std::string arc = "(references = </L" + std::to_string(i + 1) + ">)";
    text += "def \"L" + std::to_string(i) + "\" {\ndef \"A\" " + arc + " {\n}\ndef \"B\" " + arc +
            " {\n}\n}\n";
  }
  scene_.Write("a.usda", text + "def \"L60\" {\n}\n");
  scene_.mutable_environment().max_prims = 1000;
  StageOptions options;
  options.root = "/a.usda";
  const auto stage = Stage::Open(scene_.context(), scene_.environment(), options);
  EXPECT_EQ(stage.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(stage.status().message().find("/a.usda: the stage has more than 1000 prims"),
            std::string::npos);
  options.mask = PopulationMask({P("/L59")});
  EXPECT_TRUE(Stage::Open(scene_.context(), scene_.environment(), options).ok());
}

TEST_F(StageTest, OpeningAMissingLayerNamesIt) {
  StageOptions options;
  options.root = "/missing.usda";
  const auto stage = Stage::Open(scene_.context(), scene_.environment(), options);
  EXPECT_EQ(stage.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(stage.status().ToString().find("/missing.usda"), std::string::npos);
}

TEST_F(StageTest, PrototypePrimsAreFoundBelowTheirInstancesOnly) {
  scene_.Write("a.usda", R"(
def "Inner" {
  def "Leaf" {
  }
}
def "Outer" {
  def "In" (
    instanceable = true
    references = </Inner>
  ) {
  }
}
def "A" (
  instanceable = true
  references = </Outer>
) {
}
def "B" (
  instanceable = true
  references = </Outer>
) {
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  for (const char* path : {"/A/In/Leaf", "/B/In/Leaf"}) {
    const Prim leaf = stage->FindPrim(path);
    ASSERT_TRUE(leaf.valid()) << path;
    EXPECT_TRUE(leaf.IsInstanceProxy());
    EXPECT_EQ(leaf.path().ToString(), path);
    EXPECT_EQ(leaf.parent().path(), leaf.path().Parent());
    EXPECT_EQ(leaf.parent().parent().path(), leaf.path().Parent().Parent());
  }
  // Whoever starts below an instance sees what is below nested ones as well.
  const auto visible = PrimFlagsPredicate::Default();
  const Prim in = stage->FindPrim("/B/In");
  ASSERT_EQ(in.Children(visible).size(), 1u);
  EXPECT_EQ(in.Children(visible)[0].path(), P("/B/In/Leaf"));
  Strings reached;
  for (const Prim& prim : PrimRange(in, visible)) reached.push_back(prim.path().ToString());
  EXPECT_EQ(reached, (Strings{"/B/In", "/B/In/Leaf"}));
  EXPECT_TRUE(stage->FindPrim("/B").Children(visible).empty());
  EXPECT_FALSE(stage->FindPrim("/B/In/Leaf/In").valid());
  EXPECT_FALSE(stage->FindPrim("/B/Leaf").valid());
  EXPECT_FALSE(stage->FindPrim("/In/Leaf").valid());
}

}  // namespace
}  // namespace stagedoor
