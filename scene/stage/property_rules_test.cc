// Rules of properties and metadata. Expected results come from OpenUSD.
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/testing/answers_fixture.h"
#include "scene/usda/value_text.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

class PropertyRulesTest : public AnswersTest {
 protected:
  PropertyRulesTest() {
    Write("root.usda", "(subLayers = [@./strong.usda@, @./weak.usda@])\n");
    Write("strong.usda", "");
    Write("weak.usda", "");
  }
  std::string TypeName(std::string_view path) { return Find(path).TypeName().str(); }
  std::string VariabilityOf(std::string_view path) {
    return Find(path).GetVariability() == Variability::kUniform ? "uniform" : "varying";
  }
  bool IsCustom(std::string_view path) { return stage().FindProperty(P(path)).IsCustom(); }
  bool IsAuthored(std::string_view path) { return stage().FindProperty(P(path)).IsAuthored(); }
  std::string Names(std::string_view path) { return Join(stage().FindPrim(path).PropertyNames()); }
  std::string AuthoredNames(std::string_view path) {
    return Join(stage().FindPrim(path).AuthoredPropertyNames());
  }
  std::string Targets(std::string_view path) {
    return Join(Relationship(stage().FindProperty(P(path))).Targets());
  }
  std::string ForwardedTargets(std::string_view path) {
    return Join(Relationship(stage().FindProperty(P(path))).ForwardedTargets(scene_.context()));
  }
  std::string Connections(std::string_view path) {
    return Join(Find(path).Connections(scene_.context()));
  }
  std::string PrimField(std::string_view path, std::string_view field) {
    return Text(stage().FindPrim(path).Metadata(scene_.context(), Token(field)));
  }
  std::string PropertyField(std::string_view path, std::string_view field) {
    return Text(stage().FindProperty(P(path)).Metadata(scene_.context(), Token(field)));
  }
  // An entry of a dictionary field by key path, such as "a:b" in "customData".
  std::string Entry(std::string_view path, std::string_view field, std::string_view key) {
    const Value value = stage().FindPrim(path).Metadata(scene_.context(), Token(field));
    const Dictionary* dictionary = value.Get<Dictionary>();
    const Value* entry = dictionary ? dictionary->FindByKeyPath(key) : nullptr;
    return entry ? Text(*entry) : "-";
  }
  std::string StageField(std::string_view field) { return Text(stage().Metadata(Token(field))); }
  // Start, end, time codes and frames per second.
  std::string Times() {
    return Concat(stage().start_time_code(), " ", stage().end_time_code(), " ",
                  stage().time_codes_per_second(), " ", stage().frames_per_second());
  }
  std::string Variants(std::string_view path) {
    std::vector<std::string> texts;
    for (const VariantSetInfo& set : stage().FindPrim(path).VariantSets(scene_.context())) {
      texts.push_back(
          Concat(set.name, "=", set.selection, " of ", stagedoor::Join(set.choices, ",")));
    }
    return stagedoor::Join(texts, " ");
  }

 private:
  static std::string Join(const std::vector<Token>& names) {
    std::vector<std::string> texts;
    for (const Token name : names) texts.push_back(name.str());
    return stagedoor::Join(texts, " ");
  }
  static std::string Join(const std::vector<Path>& paths) {
    std::vector<std::string> texts;
    for (const Path path : paths) texts.push_back(path.ToString());
    return stagedoor::Join(texts, " ");
  }
};

// ---- Properties

// Entries of dictionaries that are path expressions compose, also over weaker ones that others
// hide.
TEST_F(PropertyRulesTest, PathExpressionsInDictionariesCompose) {
  Write("model.usda", R"(
def "M" (
  customData = {
    pathExpression p = "/M/B + %_ + C + /Other"
    pathExpression hidden = "/M/B"
    pathExpression past = "/M/B"
    string text = "x"
    pathExpression[] array = ["%_"]
    dictionary d = { pathExpression p = "/M/B" }
  }
)
{
}
)");
  Write("weak.usda", R"(
over "P" (
  customData = { string past = "x"; dictionary d = { pathExpression p = "/P/W - %_" } }
)
{
}
)");
  Write("strong.usda", R"usda(
def "P" (
  references = @./model.usda@</M>
  customData = {
    pathExpression p = "%_ & (/P/T + Q)"
    pathExpression hidden = "/P/T"
    pathExpression past = "/P/T + %_"
    pathExpression text = "/P/T + %_"
    pathExpression[] array = ["/P/T %_"]
    dictionary d = {
    pathExpression p = "%_ + %_" }
}
)
{
}
)usda");
  ;
  EXPECT_EQ(Entry("/P", "customData", "p"), "\"/P/B & /P/T + Q\"");
  EXPECT_EQ(Entry("/P", "customData", "hidden"), "\"/P/T\"");
  EXPECT_EQ(Entry("/P", "customData", "past"), "\"/P/T + /P/B\"");
  EXPECT_EQ(Entry("/P", "customData", "text"), "\"/P/T\"");
  EXPECT_EQ(Entry("/P", "customData", "array"), "[\"/P/T %_\"]");
  EXPECT_EQ(Entry("/P", "customData", "d:p"), "\"(/P/W - /P/B) + (/P/W - /P/B)\"");
}

TEST_F(PropertyRulesTest, SchemaTypeNamesOverrideAuthoredOnes) {
  Write("weak.usda", "def Cube \"A\" { float x = 1; float size = 1; }\n");
  Write("strong.usda", "over \"A\" { double x = 2; int size = 3; }\n");
  EXPECT_EQ(TypeName("/A.x"), "double");
  EXPECT_EQ(TypeName("/A.size"), "double");
}

TEST_F(PropertyRulesTest, TheWeakestSpecDeterminesVariability) {
  Write("weak.usda",
        "def Xform \"A\" { uniform double x = 1; double y = 1; double purpose = 1; }\n");
  Write("strong.usda", "over \"A\" { double x = 2; uniform double y = 2; }\n");
  EXPECT_EQ(VariabilityOf("/A.x"), "uniform");
  EXPECT_EQ(VariabilityOf("/A.y"), "varying");
  EXPECT_EQ(VariabilityOf("/A.purpose"), "uniform");
}

TEST_F(PropertyRulesTest, AnyLayerMakesPropertiesCustomExceptThoseOfSchemas) {
  Write("weak.usda",
        "def Cube \"A\" { custom double x = 1; double y = 1; custom double size = 1; }\n");
  Write("strong.usda", "over \"A\" { double x = 2; custom double z = 2; }\n");
  EXPECT_TRUE(IsCustom("/A.x"));
  EXPECT_FALSE(IsCustom("/A.y"));
  EXPECT_TRUE(IsCustom("/A.z"));
  EXPECT_FALSE(IsCustom("/A.size"));
  EXPECT_TRUE(IsAuthored("/A.y"));
  EXPECT_FALSE(IsAuthored("/A.purpose"));
}

TEST_F(PropertyRulesTest, PropertiesAreSortedThenOrdered) {
  Write("weak.usda", R"(
def "A" {
  reorder properties = ["c", "gone", "a10"]
  double b
  double c
  double a10
  double a9
  rel A
}
def "B" {
  double b
  double a
}
)");
  EXPECT_EQ(AuthoredNames("/A"), "c a10 A a9 b");
  EXPECT_EQ(AuthoredNames("/B"), "a b");
  Write("strong.usda", "over \"A\" {\n reorder properties = [\"b\", \"b\", \"A\"]\n}\n");
  EXPECT_EQ(AuthoredNames("/A"), "b A a9 a10 c");
}

TEST_F(PropertyRulesTest, SchemaPropertiesAreListed) {
  Write("weak.usda", "def Scope \"A\" { double x; }\ndef \"B\" { double x; }\n");
  EXPECT_EQ(Names("/A"), "proxyPrim purpose visibility x");
  EXPECT_EQ(AuthoredNames("/A"), "x");
  EXPECT_EQ(Names("/B"), "x");
}

// ---- Targets and connections

TEST_F(PropertyRulesTest, TargetsComposeAsListOps) {
  Write("weak.usda", R"(
def "A" {
  rel r = [</A>, </B>]
  prepend rel s = [</A>, </B>]
  rel blocked = </A>
}
)");
  Write("strong.usda", R"(
over "A" {
  prepend rel r = </C>
  delete rel r = </A>
  append rel s = </A>
  rel blocked = None
}
)");
  EXPECT_EQ(Targets("/A.r"), "/C /B");
  EXPECT_EQ(Targets("/A.s"), "/B /A");
  EXPECT_EQ(Targets("/A.blocked"), "");
}

TEST_F(PropertyRulesTest, TargetsAreMappedThroughArcsAndDroppedOutside) {
  Write("model.usda", R"(
def "M" {
  rel r = [</M/B>, </Outside>, <C>, </M>]
  double x.connect = [</M/B.y>, </Outside.y>]
  def "B" { double y; }
}
)");
  Write("strong.usda", "def \"A\" (references = @./model.usda@</M>) {}\n");
  EXPECT_EQ(Targets("/A.r"), "/A/B /A/C /A");
  EXPECT_EQ(Connections("/A.x"), "/A/B.y");
}

TEST_F(PropertyRulesTest, EachInstanceHasItsOwnTargets) {
  Write("model.usda", "def \"M\" {\n def \"B\" { rel r = [</M>, </M/B>]; }\n}\n");
  Write("strong.usda",
        "def \"A\" (\n instanceable = true\n references = @./model.usda@</M>\n) {}\n"
        "def \"C\" (\n instanceable = true\n references = @./model.usda@</M>\n) {}\n");
  EXPECT_EQ(Targets("/A/B.r"), "/A /A/B");
  EXPECT_EQ(Targets("/C/B.r"), "/C /C/B");
}

TEST_F(PropertyRulesTest, ForwardedTargetsFollowRelationships) {
  Write("strong.usda", R"(
def "A" {
  rel r = [</A.s>, </B>, </A.t>]
  rel s = [</C>, </B>]
  rel t = </A.r>
  rel u = </A.nowhere>
  rel x = </A.d>
  double d
}
)");
  EXPECT_EQ(ForwardedTargets("/A.r"), "/C /B");
  EXPECT_EQ(ForwardedTargets("/A.u"), "/A.nowhere");
  EXPECT_EQ(ForwardedTargets("/A.x"), "/A.d");
}

TEST_F(PropertyRulesTest, ForwardedTargetsOfACircleBeginWhereItCloses) {
  Write("strong.usda", R"(
def "A" {
  rel r = [</B.r>, </X>]
  rel s = [</A.s>, </X>]
}
def "B" {
  rel r = [</A.r>, </Y>]
}
)");
  EXPECT_EQ(ForwardedTargets("/A.r"), "/X /Y");
  EXPECT_EQ(ForwardedTargets("/B.r"), "/Y /X");
  EXPECT_EQ(ForwardedTargets("/A.s"), "/X");
}

TEST_F(PropertyRulesTest, OnlyTargetsAndEmptyListsAreAuthoredForwardedTargets) {
  Write("strong.usda", R"(
def "A" {
  rel declared
  rel empty = []
  rel deleted = </B>
  delete rel deleted = </B>
  rel blocked = None
  rel cycle = </A.back>
  rel back = </A.cycle>
  rel self = </A.self>
  rel to_declared = </A.declared>
  rel to_empty = </A.empty>
  rel either = [</A.cycle>, </A.empty>]
  rel neither = [</A.cycle>, </A.declared>]
  rel found = [</A.cycle>, </B>]
  rel missing = </A.nowhere>
}
)");
  const auto authored = [&](std::string_view name) {
    const Relationship relationship(stage().FindProperty(P(Concat("/A.", name))));
    return relationship.AuthoredForwardedTargets(scene_.context()).has_value();
  };
  for (const char* name : {"empty", "deleted", "blocked", "to_empty", "either", "found", "missing"})
    EXPECT_TRUE(authored(name)) << name;
  for (const char* name : {"declared", "cycle", "self", "to_declared", "neither"})
    EXPECT_FALSE(authored(name)) << name;
}

// ---- Metadata

TEST_F(PropertyRulesTest, TheStrongestOpinionWinsAndDictionariesMerge) {
  Write("weak.usda", R"(
def "A" (
  doc = "weak"
  customData = { int a = 1; int b = 1; dictionary d = { int x = 1; int y = 1; } }
  kind = "group"
) {
  double x (doc = "weak")
}
)");
  Write("strong.usda", R"(
over "A" (
  doc = "strong"
  customData = { int a = 2; dictionary d = { int x = 2; } }
) {
  double x (displayName = "X")
}
)");
  EXPECT_EQ(PrimField("/A", "documentation"), "\"strong\"");
  EXPECT_EQ(PrimField("/A", "kind"), "\"group\"");
  EXPECT_EQ(Entry("/A", "customData", "a"), "2");
  EXPECT_EQ(Entry("/A", "customData", "b"), "1");
  EXPECT_EQ(Entry("/A", "customData", "d:x"), "2");
  EXPECT_EQ(Entry("/A", "customData", "d:y"), "1");
  EXPECT_EQ(PropertyField("/A.x", "documentation"), "\"weak\"");
  EXPECT_EQ(PropertyField("/A.x", "displayName"), "\"X\"");
}

TEST_F(PropertyRulesTest, TimeCodesInMetadataAreInStageTime) {
  Write("model.usda", "def \"M\" (customData = { timecode t = 3; double d = 3; }) {}\n");
  Write("strong.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Entry("/A", "customData", "t"), "16");
  EXPECT_EQ(Entry("/A", "customData", "d"), "3");
}

TEST_F(PropertyRulesTest, OnlyTheRootLayerHasStageMetadata) {
  Write("weak.usda", "(\n upAxis = \"Z\"\n startTimeCode = 7\n)\n");
  EXPECT_EQ(StageField("upAxis"), "\"Y\"");
  EXPECT_EQ(Times(), "0 0 24 24");
  Write("root.usda",
        "(\n startTimeCode = 3\n endTimeCode = 4\n timeCodesPerSecond = 30\n framesPerSecond = 12\n"
        " upAxis = \"Z\"\n)\n");
  EXPECT_EQ(StageField("upAxis"), "\"Z\"");
  EXPECT_EQ(Times(), "3 4 30 12");
  Write("root.usda", "(\n framesPerSecond = 12\n)\n");
  EXPECT_EQ(Times(), "0 0 12 12");
}

TEST_F(PropertyRulesTest, VariantSetsComposeAcrossLayers) {
  Write("weak.usda", R"(
def "A" (
  variants = { string v = "b"; }
  prepend variantSets = ["v", "w"]
) {
  variantSet "v" = {
    "b" {}
    "a" {}
  }
  variantSet "w" = {
    "x" {}
  }
  variantSet "unlisted" = {
    "x" {}
  }
}
)");
  Write("strong.usda", R"(
over "A" (
  variants = { string v = "c"; }
  prepend variantSets = "u"
) {
  variantSet "v" = {
    "c" {}
  }
  variantSet "u" = {
    "y" {}
  }
}
)");
  EXPECT_EQ(Variants("/A"), "u= of y v=c of a,b,c w= of x");
}

}  // namespace
}  // namespace stagedoor
