#include "scene/edit/field_edits.h"

#include <string>

#include "scene/edit/testing/edit_fixture.h"
#include "scene/values/dictionary.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"

namespace stagedoor {
namespace {

constexpr std::string_view kRoot = R"(( timeCodesPerSecond = 48 )
def Xform "W" {
  def Mesh "M" (
    variants = { string look = "red" }
    prepend variantSets = "look"
  ) {
    float f = 1
    custom rel r
    variantSet "look" = {
      "red" {
      }
      "blue" {
        def "Extra" {
        }
      }
    }
  }
}
def "I" ( instanceable = true
  references = </P> ) {
}
def "P" {
  def "C" {
    rel rr
  }
}
)";

class FieldEditsTest : public EditTest {
 protected:
  void SetUp() override { Begin(kRoot); }

  absl::Status Set(std::string_view path, std::string_view name, const Value& value,
                   std::string_view keys = "") {
    return SetField(stage(), P(path), Token(name), keys, value);
  }
  absl::Status Select(std::string_view path, const std::optional<std::string>& variant,
                      const std::string& set = "look") {
    return SelectVariant(stage(), P(path), set, variant);
  }
  absl::Status Targets(std::string_view path, std::vector<Path> targets) {
    return SetTargets(stage(), P(path), ListOp<Path>::Explicit(std::move(targets)), false);
  }
};

// usd-core 26.11 authors the same in each of these tests.
TEST_F(FieldEditsTest, SetsFieldsOfPrimsPropertiesAndTheLayer) {
  EXPECT_EQ(Set("/W/M", "active", Value(false)), absl::OkStatus());
  EXPECT_EQ(Set("/W", "kind", Value(std::string("component"))), absl::OkStatus());
  EXPECT_EQ(Set("/W", "apiSchemas", Value(ListOp<Token>::Prepended({Token("A")}))),
            absl::OkStatus());
  EXPECT_EQ(Set("/", "startTimeCode", Value(4)), absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "( startTimeCode = 4 ) over \"W\" ( prepend apiSchemas = [\"A\"] kind = \"component\" ) "
      "{ over \"M\" ( active = false ) { } }");
  EXPECT_EQ(Set("/W/M.extent", "displayGroup", Value(std::string("G"))), absl::OkStatus())
      << "a built-in attribute";
  EXPECT_EQ(Set("/W/M.f", "elementSize", Value(2.0)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.r", "noLoadHint", Value(true)), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.f", "custom", Value(true)), absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "( startTimeCode = 4 ) over \"W\" ( prepend apiSchemas = [\"A\"] kind = \"component\" ) "
      "{ over \"M\" ( active = false ) { float3[] extent ( displayGroup = \"G\" ) custom float "
      "f ( elementSize = 2 ) custom rel r ( noLoadHint = true ) } }");
}

TEST_F(FieldEditsTest, RemovesFields) {
  ASSERT_EQ(Set("/W", "kind", Value(Token("component"))), absl::OkStatus());
  EXPECT_EQ(Set("/W", "kind", Value()), absl::OkStatus());
  EXPECT_EQ(Set("/W/M", "kind", Value()), absl::OkStatus());
  EXPECT_EQ(Set("/W/M.f", "hidden", Value()), absl::OkStatus());
  EXPECT_EQ(Set("/Nobody", "kind", Value()), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { }") << "nothing is created";
}

TEST_F(FieldEditsTest, EditsEntriesOfDictionaries) {
  ASSERT_EQ(Set("/W", "customData", Value(Dictionary::FromEntries({{"a", Value(1)}}))),
            absl::OkStatus());
  EXPECT_EQ(Set("/W", "customData", Value(2.0), "a:b:c"), absl::OkStatus());
  EXPECT_EQ(Set("/W", "customData", Value(2.0), "d:b"), absl::OkStatus());
  EXPECT_EQ(Set("/W", "customData", Value(TimeCodeValue{48}), "t"), absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" ( customData = { dictionary a = { dictionary b = { double c = 2 } } "
            "dictionary d = { double b = 2 } timecode t = 24 } ) { }");
  EXPECT_EQ(Set("/W", "customData", Value(), "a:b:c"), absl::OkStatus());
  EXPECT_EQ(Set("/W", "customData", Value(), "t"), absl::OkStatus());
  EXPECT_EQ(Set("/W", "customData", Value(), "x:y"), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" ( customData = { dictionary d = { double b = 2 } } ) { }");
  EXPECT_EQ(Set("/W", "customData", Value(), "d"), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { }");
}

TEST_F(FieldEditsTest, KeyPathsMustBeWellFormed) {
  for (const std::string_view keys : {":", "a:", ":a", "a::b"}) {
    EXPECT_REFUSED(Set("/W", "customData", Value(1), keys), kInvalidField) << keys;
  }
  std::string deep = "k";
  for (size_t i = 1; i < kMaxKeys; ++i) deep += ":k";
  EXPECT_EQ(Set("/W", "customData", Value(1), deep), absl::OkStatus());
  EXPECT_REFUSED(Set("/W", "customData", Value(1), deep + ":k"), kInvalidField);
  EXPECT_REFUSED(Set("/W", "kind", Value(1), "a"), kWrongKind);
}

TEST_F(FieldEditsTest, RefusesFieldsOfOtherSpecsAndTypes) {
  EXPECT_REFUSED(Set("/W/M.f", "kind", Value(Token("x"))), kWrongKind);
  EXPECT_REFUSED(Set("/W", "startTimeCode", Value(1.0)), kWrongKind);
  EXPECT_REFUSED(Set("/", "kind", Value(Token("x"))), kWrongKind);
  EXPECT_REFUSED(Set("/W", "foo", Value(1.0)), kWrongKind);
  EXPECT_REFUSED(Set("/W", "active", Value(std::string("x"))), kWrongKind);
  EXPECT_REFUSED(Set("/W", "displayName", Value(3)), kWrongKind);
  for (const std::string_view name :
       {"typeName", "specifier", "variantSelection", "primChildren", "properties"}) {
    EXPECT_REFUSED(Set("/W", name, Value(Token("x"))), kInvalidField) << name;
  }
  for (const std::string_view name :
       {"typeName", "default", "timeSamples", "spline", "connectionPaths", "targetPaths"}) {
    EXPECT_REFUSED(Set("/W/M.f", name, Value(1.0)), kInvalidField) << name;
  }
  EXPECT_REFUSED(Set("/Nobody", "kind", Value(Token("x"))), kPrimNotFound);
  EXPECT_REFUSED(Set("/W.none", "hidden", Value(true)), kAttributeNotFound);
  EXPECT_REFUSED(Set("/I/C", "kind", Value(Token("x"))), kWrongKind);
  EXPECT_EQ(Text(), "");
}

TEST_F(FieldEditsTest, ListEditsWithoutItemsFitEveryField) {
  ListOp<Token> none;
  none.is_explicit = true;
  EXPECT_EQ(Set("/W", "references", Value(none)), absl::OkStatus());
  EXPECT_EQ(Set("/W", "inheritPaths", Value(none)), absl::OkStatus());
  EXPECT_EQ(Set("/W", "clipSets", Value(ListOp<Token>::Explicit({Token("a")}))), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" ( clipSets = [\"a\"] inherits = None references = None ) { }");
  EXPECT_REFUSED(Set("/W", "payload", Value(ListOp<Token>::Explicit({Token("a")}))), kWrongKind);
}

TEST_F(FieldEditsTest, SelectsBlocksAndClearsVariants) {
  EXPECT_EQ(Select("/W/M", "blue"), absl::OkStatus());
  EXPECT_EQ(Select("/W/M", "a", "alpha"), absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "over \"W\" { over \"M\" ( variants = { string alpha = \"a\" string look = \"blue\" } ) "
      "{ } }");
  EXPECT_EQ(Set("/W/M/Extra", "kind", Value(Token("x"))), absl::OkStatus())
      << "the prim of the variant that was selected";
  EXPECT_EQ(composed(), 2) << "for the second selection and for the field";
  EXPECT_EQ(Select("/W/M", ""), absl::OkStatus());
  EXPECT_EQ(Select("/W/M", std::nullopt, "alpha"), absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" { over \"M\" ( variants = { string look = \"\" } ) { over \"Extra\" ( kind "
            "= \"x\" ) { } } }");
}

TEST_F(FieldEditsTest, RefusesSelectionsThatCannotBe) {
  EXPECT_REFUSED(Select("/W/M", "gre en"), kInvalidField);
  EXPECT_REFUSED(Select("/W/M", "a", ""), kInvalidField);
  EXPECT_REFUSED(Select("/Nobody", "a"), kPrimNotFound);
  EXPECT_REFUSED(Select("/I/C", "a"), kWrongKind);
  EXPECT_REFUSED(Select("/", "a"), kInvalidPath);
  EXPECT_EQ(Select("/W", std::nullopt), absl::OkStatus());
  EXPECT_EQ(Select("/W/M", "green"), absl::OkStatus()) << "it need not exist";
  EXPECT_EQ(Select("/W/M", "`${LOOK}`"), absl::OkStatus());
}

TEST_F(FieldEditsTest, SetsTargetsAndConnections) {
  EXPECT_EQ(Targets("/W/M.r", {P("/W"), P("../P"), P("/W/M.f"), P("/W"), P("/W{a=b}X")}),
            absl::OkStatus());
  EXPECT_EQ(Targets("/W/M.f", {P("/W.x")}), absl::OkStatus());
  EXPECT_EQ(Targets("/W/M.proxyPrim", {}), absl::OkStatus());
  EXPECT_EQ(SetTargets(stage(), P("/W.new"), ListOp<Path>::Prepended({P("/P")}), true),
            absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "over \"W\" { custom rel new prepend rel new = </P> over \"M\" { custom rel r = [ </W>, "
      "</W/P>, </W/M.f>, </W/X>, ] float f.connect = </W.x> rel proxyPrim = None } }");
  EXPECT_EQ(SetTargets(stage(), P("/W/M.r"), std::nullopt, false), absl::OkStatus());
  EXPECT_EQ(SetTargets(stage(), P("/W/M.f"), std::nullopt, false), absl::OkStatus());
  EXPECT_EQ(SetTargets(stage(), P("/W/M.purpose"), std::nullopt, false), absl::OkStatus());
  EXPECT_EQ(
      Text(),
      "over \"W\" { custom rel new prepend rel new = </P> over \"M\" { custom rel r float f rel "
      "proxyPrim = None } }");
}

TEST_F(FieldEditsTest, RefusesTargetsThatCannotBe) {
  for (const std::string_view target :
       {"/", "../../../..", "/W.r[/a]", "/__Prototype_1/C", "/W{a=b}"}) {
    const bool fine = target == "/W{a=b}";  // the selection is dropped
    const absl::Status status = Targets("/W/M.r", {P(target)});
    EXPECT_EQ(status.ok(), fine) << target << ": " << status;
    if (fine) continue;
    EXPECT_EQ(GetEditErrorKind(status), EditErrorKind::kInvalidPath) << target;
  }
  EXPECT_REFUSED(Targets("/I/C.rr", {P("/W")}), kWrongKind);
  EXPECT_REFUSED(Targets("/Nobody.rr", {P("/W")}), kPrimNotFound);
}

}  // namespace
}  // namespace stagedoor
