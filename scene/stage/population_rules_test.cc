// Which prims a stage has and their flags, types and schemas. Expected results come from OpenUSD.
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class PopulationRulesTest : public AnswersTest {
 protected:
  // All prims, including inactive and abstract ones.
  std::string Prims() { return Paths(PrimFlagsPredicate::All()); }
  // Active, loaded, defined prims that are not abstract.
  std::string Traversed() { return Paths(PrimFlagsPredicate::Default()); }
  // As Traversed, with instance proxies.
  std::string TraversedWithProxies() {
    return Paths(PrimFlagsPredicate::Default().WithInstanceProxies());
  }
  // The words of "active loaded defined model group component abstract instance payload" that
  // apply.
  std::string Flags(std::string_view path) {
    const Prim prim = stage().FindPrim(path);
    if (!prim.valid()) return "none";
    std::vector<std::string_view> words;
    if (prim.IsActive()) words.push_back("active");
    if (prim.IsLoaded()) words.push_back("loaded");
    if (prim.IsDefined()) words.push_back("defined");
    if (prim.IsModel()) words.push_back("model");
    if (prim.IsGroup()) words.push_back("group");
    if (prim.IsComponent()) words.push_back("component");
    if (prim.IsAbstract()) words.push_back("abstract");
    if (prim.IsInstance()) words.push_back("instance");
    if (prim.HasPayload()) words.push_back("payload");
    return Join(words, " ");
  }
  std::string Type(std::string_view path) { return stage().FindPrim(path).type_name().str(); }
  std::string Specifier(std::string_view path) {
    switch (stage().FindPrim(path).specifier()) {
      case stagedoor::Specifier::kDef:
        return "def";
      case stagedoor::Specifier::kClass:
        return "class";
      case stagedoor::Specifier::kOver:
        break;
    }
    return "over";
  }
  std::string Schemas(std::string_view path) {
    std::vector<std::string> names;
    for (const Token name : stage().FindPrim(path).AppliedSchemas()) names.push_back(name.str());
    return Join(names, " ");
  }
  void Mask(const std::vector<std::string>& paths) {
    std::vector<Path> all;
    for (const std::string& path : paths) all.push_back(P(path));
    options_.mask = PopulationMask(all);
    stage_.reset();
  }
  void LoadNone() {
    options_.load = LoadRules::None();
    stage_.reset();
  }
  void Load(std::string_view path) {
    options_.load.Load(P(path), /*with_descendants=*/true);
    stage_.reset();
  }
  void LoadWithoutDescendants(std::string_view path) {
    options_.load.Load(P(path), /*with_descendants=*/false);
    stage_.reset();
  }
  void Unload(std::string_view path) {
    options_.load.Unload(P(path));
    stage_.reset();
  }

 private:
  std::string Paths(PrimFlagsPredicate predicate) {
    std::vector<std::string> paths;
    for (const Prim& prim : stage().Traverse(predicate)) paths.push_back(prim.PathText());
    return Join(paths, " ");
  }
};

// ---- Active, defined, abstract

TEST_F(PopulationRulesTest, InactivePrimsHaveNoDescendants) {
  Write("root.usda", R"(
def "A" (active = false) {
  def "B" {}
}
def "C" (active = true) {
  def "D" (active = false) {}
  def "E" {}
}
)");
  EXPECT_EQ(Prims(), "/A /C /C/D /C/E");
  EXPECT_EQ(Traversed(), "/C /C/E");
  EXPECT_EQ(Flags("/A"), "defined");
  EXPECT_EQ(Flags("/C"), "active loaded defined");
  EXPECT_EQ(Flags("/C/D"), "defined");
}

TEST_F(PopulationRulesTest, TheStrongestOpinionOnActiveDecides) {
  Write("weak.usda",
        "def \"A\" (active = false) {\n def \"B\" {}\n}\ndef \"C\" { def \"D\" {}\n}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" (active = true) {}\nover \"C\" (active = false) "
        "{}\n");
  EXPECT_EQ(Prims(), "/A /A/B /C");
}

TEST_F(PopulationRulesTest, OversAndTheirDescendantsAreNotDefined) {
  Write("root.usda", R"(
over "A" {
  def "B" {}
}
def "C" {
  over "D" {}
}
)");
  EXPECT_EQ(Traversed(), "/C");
  EXPECT_EQ(Flags("/A"), "active loaded");
  EXPECT_EQ(Flags("/A/B"), "active loaded");
  EXPECT_EQ(Flags("/C/D"), "active loaded");
}

TEST_F(PopulationRulesTest, DescendantsOfClassesAreAbstract) {
  Write("root.usda", R"(
class "A" {
  def "B" {}
}
def "C" {
  class "D" {}
}
)");
  EXPECT_EQ(Traversed(), "/C");
  EXPECT_EQ(Flags("/A"), "active loaded defined abstract");
  EXPECT_EQ(Flags("/A/B"), "active loaded defined abstract");
  EXPECT_EQ(Flags("/C/D"), "active loaded defined abstract");
}

TEST_F(PopulationRulesTest, TheStrongestDefiningSpecifierWins) {
  Write("weak.usda", "def \"A\" {}\nclass \"B\" {}\nover \"C\" {}\ndef \"D\" {}\n");
  Write("root.usda", R"(
(subLayers = [@./weak.usda@])
over "A" {}
over "B" {}
over "C" {}
class "D" {}
class "Base" {}
def "Inherits" (inherits = </Base>) {}
over "OverInherits" (inherits = </Base>) {}
over "References" (references = </Base>) {}
)");
  EXPECT_EQ(Specifier("/A"), "def");
  EXPECT_EQ(Specifier("/B"), "class");
  EXPECT_EQ(Specifier("/C"), "over");
  EXPECT_EQ(Specifier("/D"), "class");
  EXPECT_EQ(Specifier("/Inherits"), "def");
  EXPECT_EQ(Specifier("/OverInherits"), "class");
  EXPECT_EQ(Specifier("/References"), "class");
}

// ---- Types and schemas

TEST_F(PopulationRulesTest, TheStrongestNonEmptyTypeWins) {
  Write("weak.usda", "def Xform \"A\" {}\ndef Mesh \"B\" {}\ndef Cube \"C\" {}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" {}\nover Sphere \"B\" {}\ndef __AnyType__ \"C\" "
        "{}\n");
  EXPECT_EQ(Type("/A"), "Xform");
  EXPECT_EQ(Type("/B"), "Sphere");
  EXPECT_EQ(Type("/C"), "Cube");
}

TEST_F(PopulationRulesTest, AppliedSchemasComposeAsListOps) {
  Write("weak.usda", R"(
def "A" (prepend apiSchemas = ["CollectionAPI:w", "CollectionAPI:x"]) {}
def "B" (apiSchemas = ["CollectionAPI:w"]) {}
def "C" (prepend apiSchemas = ["CollectionAPI:w"]) {}
)");
  Write("root.usda", R"((subLayers = [@./weak.usda@])
over "A" (
  prepend apiSchemas = ["CollectionAPI:s"]
  delete apiSchemas = ["CollectionAPI:x"]
) {}
over "B" (append apiSchemas = ["CollectionAPI:s"]) {}
over "C" (apiSchemas = ["CollectionAPI:s"]) {}
def Mesh "D" (prepend apiSchemas = ["MaterialBindingAPI"]) {}
)");
  EXPECT_EQ(Schemas("/A"), "CollectionAPI:s CollectionAPI:w");
  EXPECT_EQ(Schemas("/B"), "CollectionAPI:w CollectionAPI:s");
  EXPECT_EQ(Schemas("/C"), "CollectionAPI:s");
  EXPECT_EQ(Schemas("/D"), "MaterialBindingAPI");
}

TEST_F(PopulationRulesTest, WithoutASchemaRegistryTypesAndSchemasAreAsAuthored) {
  scene_.mutable_environment().schemas = nullptr;
  Write("root.usda", R"(
def Mesh "A" (prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:c"]) {
  int x
}
def Mesh "B" {}
)");
  EXPECT_EQ(Type("/A"), "Mesh");
  EXPECT_EQ(Schemas("/A"), "MaterialBindingAPI CollectionAPI:c");
  EXPECT_EQ(Schemas("/B"), "");
  const Prim prim = stage().FindPrim("/A");
  EXPECT_TRUE(prim.HasApi(Token("MaterialBindingAPI")));
  EXPECT_TRUE(prim.HasApi(Token("CollectionAPI")));
  EXPECT_FALSE(prim.HasApi(Token("Collection")));
  EXPECT_FALSE(prim.HasApi(Token("Material")));
  EXPECT_FALSE(prim.IsA(Token("Mesh"))) << "types are schemas too";
  EXPECT_EQ(prim.PropertyNames(), std::vector<Token>{Token("x")});
}

// ---- Models

TEST_F(PopulationRulesTest, ModelsMustBeBelowGroups) {
  Write("root.usda", R"(
def "Assembly" (kind = "assembly") {
  def "Group" (kind = "group") {
    def "Component" (kind = "component") {
      def "Sub" (kind = "subcomponent") {}
      def "Component" (kind = "component") {}
    }
  }
  def "Kindless" {
    def "Component" (kind = "component") {}
  }
  def "Model" (kind = "model") {
    def "Component" (kind = "component") {}
  }
  def "Odd" (kind = "banana") {
    def "Component" (kind = "component") {}
  }
}
def "Component" (kind = "component") {}
)");
  EXPECT_EQ(Flags("/Assembly"), "active loaded defined model group");
  EXPECT_EQ(Flags("/Assembly/Group"), "active loaded defined model group");
  EXPECT_EQ(Flags("/Assembly/Group/Component"), "active loaded defined model component");
  EXPECT_EQ(Flags("/Assembly/Group/Component/Sub"), "active loaded defined");
  EXPECT_EQ(Flags("/Assembly/Group/Component/Component"), "active loaded defined");
  EXPECT_EQ(Flags("/Assembly/Kindless"), "active loaded defined");
  EXPECT_EQ(Flags("/Assembly/Kindless/Component"), "active loaded defined");
  EXPECT_EQ(Flags("/Assembly/Model"), "active loaded defined model");
  EXPECT_EQ(Flags("/Assembly/Model/Component"), "active loaded defined");
  EXPECT_EQ(Flags("/Assembly/Odd/Component"), "active loaded defined");
  EXPECT_EQ(Flags("/Component"), "active loaded defined model component");
}

// ---- Instances

TEST_F(PopulationRulesTest, OnlyInstanceablePrimsWithArcsAreInstances) {
  Write("root.usda", R"(
class "P" {
  def "B" {}
}
def "I" (
  instanceable = true
  inherits = </P>
) {
  def "Own" {}
}
def "Plain" (instanceable = true) {
  def "Own" {}
}
def "Not" (
  instanceable = false
  inherits = </P>
) {}
def "Inactive" (
  instanceable = true
  active = false
  inherits = </P>
) {}
)");
  EXPECT_EQ(TraversedWithProxies(), "/I /I/B /Plain /Plain/Own /Not /Not/B");
  EXPECT_EQ(Traversed(), "/I /Plain /Plain/Own /Not /Not/B");
  EXPECT_EQ(Flags("/I"), "active loaded defined instance");
  EXPECT_EQ(Flags("/I/B"), "active loaded defined");
  EXPECT_EQ(Flags("/Plain"), "active loaded defined");
  EXPECT_EQ(Flags("/Not"), "active loaded defined");
  EXPECT_EQ(Flags("/Inactive"), "defined");
}

// ---- Clips

TEST_F(PopulationRulesTest, NearerClipSetsAreStronger) {
  Write("c.usda",
        "def \"C\" {\n double x.timeSamples = { 0: 1 }\n def \"B\" { double x.timeSamples = { "
        "0: 2 }; double y.timeSamples = { 0: 3 }; }\n}\n");
  Write("d.usda", "def \"D\" { double x.timeSamples = { 0: 4 }; }\n");
  Write("root.usda", R"(
def "A" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c.usda@]
    double2[] active = [(0, 0)]
    string primPath = "/C"
  } }
) {
  double x
  def "B" (
    clips = { dictionary default = {
      asset[] assetPaths = [@./d.usda@]
      double2[] active = [(0, 0)]
      string primPath = "/D"
    } }
  ) {
    double x
    double y
  }
}
)");
  EXPECT_EQ(At("/A.x", {0}), "1");
  EXPECT_EQ(At("/A/B.x", {0}), "4");
  EXPECT_EQ(At("/A/B.y", {0}), "3");
}

// ---- Payloads

class PayloadRulesTest : public PopulationRulesTest {
 protected:
  PayloadRulesTest() {
    Write("p.usda", "def \"P\" {\n def \"B\" (payload = @./q.usda@</Q>) {}\n}\n");
    Write("q.usda", "def \"Q\" {\n def \"C\" {}\n}\n");
    Write("root.usda", "def \"A\" (payload = @./p.usda@</P>) {}\ndef \"Z\" { def \"Y\" {}\n}\n");
  }
};

TEST_F(PayloadRulesTest, EverythingIsLoadedByDefault) {
  EXPECT_EQ(Prims(), "/A /A/B /A/B/C /Z /Z/Y");
  EXPECT_EQ(Flags("/A"), "active loaded defined payload");
  EXPECT_EQ(Flags("/A/B/C"), "active loaded defined");
}

TEST_F(PayloadRulesTest, UnloadedPrimsHaveNoPayloadOpinions) {
  LoadNone();
  EXPECT_EQ(Prims(), "/A /Z /Z/Y");
  EXPECT_EQ(Traversed(), "/Z /Z/Y");
  EXPECT_EQ(Flags("/A"), "active defined payload");
  EXPECT_EQ(Flags("/Z/Y"), "active loaded defined");
}

TEST_F(PayloadRulesTest, LoadingWithoutDescendantsStopsAtTheNextPayload) {
  LoadNone();
  LoadWithoutDescendants("/A");
  EXPECT_EQ(Prims(), "/A /A/B /Z /Z/Y");
  EXPECT_EQ(Flags("/A/B"), "active defined payload");
}

TEST_F(PayloadRulesTest, LoadingADescendantLoadsItsAncestors) {
  LoadNone();
  Load("/A/B");
  EXPECT_EQ(Prims(), "/A /A/B /A/B/C /Z /Z/Y");
  EXPECT_EQ(Flags("/A"), "active loaded defined payload");
  EXPECT_EQ(Flags("/A/B"), "active loaded defined payload");
}

TEST_F(PayloadRulesTest, UnloadingADescendantKeepsItsAncestorsLoaded) {
  Unload("/A/B");
  EXPECT_EQ(Prims(), "/A /A/B /Z /Z/Y");
  EXPECT_EQ(Flags("/A"), "active loaded defined payload");
  EXPECT_EQ(Flags("/A/B"), "active defined payload");
}

TEST_F(PayloadRulesTest, DescendantsOfUnloadedPrimsAreUnloaded) {
  Write("root.usda",
        "def \"A\" (payload = @./p.usda@</P>) {\n def \"Own\" { def \"Deep\" {}\n }\n}\n");
  LoadNone();
  EXPECT_EQ(Prims(), "/A /A/Own /A/Own/Deep");
  EXPECT_EQ(Traversed(), "");
  EXPECT_EQ(Flags("/A/Own/Deep"), "active defined");
}

// ---- Masks

constexpr std::string_view kTree = R"(
def "A" {
  def "B" {
    def "C" {}
  }
  def "BB" {}
}
def "D" { def "E" {}
}
)";

TEST_F(PopulationRulesTest, AMaskKeepsItsPathsWithAncestorsAndDescendants) {
  Write("root.usda", kTree);
  Mask({"/A/B"});
  EXPECT_EQ(Prims(), "/A /A/B /A/B/C");
  Mask({"/A/B/C", "/D"});
  EXPECT_EQ(Prims(), "/A /A/B /A/B/C /D /D/E");
  Mask({"/A", "/A/B"});
  EXPECT_EQ(Prims(), "/A /A/B /A/B/C /A/BB");
  Mask({"/Nowhere"});
  EXPECT_EQ(Prims(), "");
  Mask({"/"});
  EXPECT_EQ(Prims(), "/A /A/B /A/B/C /A/BB /D /D/E");
}

}  // namespace
}  // namespace stagedoor
