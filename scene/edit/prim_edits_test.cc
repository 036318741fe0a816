#include "scene/edit/prim_edits.h"

#include "scene/edit/field_edits.h"
#include "scene/edit/testing/edit_fixture.h"
#include "scene/edit/value_edits.h"

namespace stagedoor {
namespace {

constexpr std::string_view kRoot = R"(
def Xform "W" {
  def Mesh "M" {
  }
  over "O" {
  }
  class "K" {
  }
}
def "I" ( instanceable = true
  references = </P> ) {
}
def "P" {
  def "C" {
  }
}
over "Top" {
  def "D" {
  }
}
def "Off" ( active = false ) {
}
)";

class PrimEditsTest : public EditTest {
 protected:
  void SetUp() override { Begin(kRoot); }
  absl::Status Define(std::string_view path, std::string_view type = "",
                      Specifier specifier = Specifier::kDef) {
    return DefinePrim(stage(), P(path), specifier, Token(type));
  }
};

// usd-core 26.11 authors the same in each of these tests.
TEST_F(PrimEditsTest, DefiningDefinesAncestors) {
  EXPECT_EQ(Define("/W/New/Sub/Leaf", "Mesh"), absl::OkStatus());
  EXPECT_EQ(Define("/W/O"), absl::OkStatus());
  EXPECT_EQ(Define("/Top/X", "Scope"), absl::OkStatus());
  EXPECT_EQ(Define("/W/K/X", "Scope"), absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" { def \"New\" { def \"Sub\" { def Mesh \"Leaf\" { } } } def \"O\" { } over "
            "\"K\" { def Scope \"X\" { } } } def \"Top\" { def Scope \"X\" { } }");
}

TEST_F(PrimEditsTest, WhatAPrimIsIsNotAuthoredAgain) {
  EXPECT_EQ(Define("/W/M"), absl::OkStatus());
  EXPECT_EQ(Define("/W/M", "Mesh"), absl::OkStatus());
  EXPECT_EQ(Define("/W/M", "", Specifier::kOver), absl::OkStatus());
  EXPECT_EQ(Define("/W/K", "", Specifier::kClass), absl::OkStatus());
  EXPECT_EQ(Define("/"), absl::OkStatus());
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(Define("/W/M", "Sphere"), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { def Sphere \"M\" { } }");
}

TEST_F(PrimEditsTest, DefiningTheAncestorsMayBeEnough) {
  EXPECT_EQ(Define("/Top/D"), absl::OkStatus());
  EXPECT_EQ(Text(), "def \"Top\" { }");
}

TEST_F(PrimEditsTest, OversAndClasses) {
  EXPECT_EQ(Define("/W/Ov/Er", "", Specifier::kOver), absl::OkStatus());
  EXPECT_EQ(Define("/_c/Ya", "", Specifier::kClass), absl::OkStatus());
  EXPECT_EQ(Define("/W/O", "", Specifier::kClass), absl::OkStatus());
  EXPECT_REFUSED(Define("/W/M", "", Specifier::kClass), kWrongKind);
  EXPECT_EQ(Text(),
            "over \"W\" { over \"Ov\" { over \"Er\" { } } class \"O\" { } } def \"_c\" { class "
            "\"Ya\" { } }");
}

TEST_F(PrimEditsTest, InstancesAndPrototypesAreNotDefinedIn) {
  EXPECT_REFUSED(Define("/I/C"), kWrongKind);
  EXPECT_REFUSED(Define("/I/C", "", Specifier::kOver), kWrongKind);
  EXPECT_REFUSED(Define("/I/C/N"), kWrongKind);
  EXPECT_REFUSED(Define("/I/N", "", Specifier::kOver), kWrongKind);
  EXPECT_REFUSED(Define("/__Prototype_1/N"), kInvalidPath);
  EXPECT_REFUSED(Define("/W{a=b}N"), kInvalidPath);
  EXPECT_REFUSED(Define("/W.x"), kInvalidPath);
  EXPECT_REFUSED(Define("N"), kInvalidPath);
  EXPECT_EQ(Text(), "");
}

TEST_F(PrimEditsTest, PrimsThatAreNotPopulatedAreAuthored) {
  EXPECT_EQ(Define("/Off/New"), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"Off\" { def \"New\" { } }");
  EXPECT_REFUSED(SetField(stage(), P("/Off/New"), Token("kind"), "", Value(Token("x"))),
                 kPrimNotFound)
      << "nothing is below an inactive prim";
}

TEST_F(PrimEditsTest, NewPrimsCanBeEditedAtOnce) {
  EXPECT_EQ(Define("/W/Ball", "Sphere"), absl::OkStatus());
  EXPECT_EQ(SetValue(stage(), P("/W/Ball.radius"), TimeCode::Default(), Value(2.0), {}),
            absl::OkStatus());
  EXPECT_EQ(Define("/W/Ball/Child", "Cube"), absl::OkStatus());
  EXPECT_EQ(SetValue(stage(), P("/W/Ball/Child.size"), TimeCode::Default(), Value(3.0), {}),
            absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" { def Sphere \"Ball\" { double radius = 2 def Cube \"Child\" { double size "
            "= 3 } } }");
  EXPECT_EQ(composed(), 0) << "what the layer has need not be composed";
}

TEST_F(PrimEditsTest, TheStageIsComposedAgainWhenAnEditDependsOnIt) {
  ASSERT_EQ(SetField(stage(), P("/I"), Token("instanceable"), "", Value(false)), absl::OkStatus());
  EXPECT_EQ(composed(), 0);
  EXPECT_EQ(Define("/I/C/N"), absl::OkStatus()) << "not an instance any more";
  EXPECT_EQ(composed(), 1);
  // In a prim that refers to one that an edit has changed.
  EXPECT_EQ(Define("/P/Late", "Sphere"), absl::OkStatus());
  EXPECT_EQ(SetValue(stage(), P("/I/Late.radius"), TimeCode::Default(), Value(1.0), {}),
            absl::OkStatus());
  EXPECT_EQ(composed(), 2) << "the new prim may be anywhere below /I, which has a reference";
  EXPECT_EQ(Text(),
            "over \"I\" ( instanceable = false ) { over \"C\" { def \"N\" { } } over \"Late\" { "
            "double radius = 1 } } over \"P\" { def Sphere \"Late\" { } }");
}

TEST_F(PrimEditsTest, RemovingRemovesTheSpecWithAllBelow) {
  Begin(kRoot, "over \"W\" {\nover \"M\" {\ndouble f = 3\nover \"c\" {}\n}\n}\n");
  EXPECT_EQ(RemoveSpec(stage(), P("/W/M.f")), absl::OkStatus());
  EXPECT_EQ(RemoveSpec(stage(), P("/W/M.f")), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { over \"M\" { over \"c\" { } } }");
  EXPECT_REFUSED(SetValue(stage(), P("/W/M.f"), TimeCode::Default(), Value(1.0), {}),
                 kAttributeNotFound);
  EXPECT_EQ(RemoveSpec(stage(), P("/W/M")), absl::OkStatus());
  EXPECT_EQ(RemoveSpec(stage(), P("/Nobody")), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"W\" { }");
  EXPECT_REFUSED(RemoveSpec(stage(), P("/")), kInvalidPath);
  EXPECT_REFUSED(RemoveSpec(stage(), P("/W{a=b}")), kInvalidPath);
}

TEST_F(PrimEditsTest, VariantsAreRemovedWithTheirSet) {
  Begin("def \"A\" {}\n",
        "over \"A\" ( variantSets = \"v\" ) {\nvariantSet \"v\" = {\n\"x\" {\n"
        "double d = 1\n}\n}\n}\n");
  Target("/A{v=x}");
  EXPECT_EQ(RemoveSpec(stage(), P("/A")), absl::OkStatus());
  EXPECT_EQ(Text(), "over \"A\" ( variantSets = \"v\" ) { }");
}

TEST_F(PrimEditsTest, PrimsOfVariantsThatAreNotSelectedCanBeEdited) {
  Target("/W/M{look=blue}");
  EXPECT_EQ(Define("/W/M/Ball", "Sphere"), absl::OkStatus());
  EXPECT_EQ(SetValue(stage(), P("/W/M/Ball.radius"), TimeCode::Default(), Value(2.0), {}),
            absl::OkStatus());
  EXPECT_EQ(Text(),
            "over \"W\" { over \"M\" ( prepend variantSets = \"look\" ) { variantSet \"look\" = { "
            "\"blue\" { def Sphere \"Ball\" { double radius = 2 } } } } }");
}

TEST_F(PrimEditsTest, EditTargetsAreVariants) {
  for (const std::string_view path : {"/W", "/W{a=b}C", "/W{a=}", "/W{a=}{b=c}", "W{a=b}"}) {
    const auto target = EditTarget::ForLocalDirectVariant(P(path));
    EXPECT_EQ(GetEditErrorKind(target.status()), EditErrorKind::kInvalidPath) << path;
  }
  const auto target = EditTarget::ForLocalDirectVariant(P("/N{l=a}E{look=blue}"));
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->MapToSpecPath(P("/N/E/F.x")), P("/N{l=a}E{look=blue}F.x"));
  EXPECT_EQ(target->MapToSpecPath(P("/N")), P("/N"));
}

// As in OpenUSD, variant sets can be made only with names that are identifiers, but text has
// others.
TEST_F(PrimEditsTest, VariantSetsAreCreatedWithNamesThatAreIdentifiers) {
  Target("/W/M{look-dev=blue}");
  EXPECT_EQ(GetEditErrorKind(Define("/W/M/Ball", "Sphere")), EditErrorKind::kInvalidPath);
  EXPECT_EQ(Define("/Outside", ""), absl::OkStatus()) << "is not in the variant";
  Begin(kRoot, "over \"W\" {\nover \"M\" {\nvariantSet \"look-dev\" = { \"a\" {} }\n}\n}\n");
  Target("/W/M{look-dev=blue}");
  EXPECT_EQ(Define("/W/M/Ball", "Sphere"), absl::OkStatus());
  EXPECT_NE(stage().FindSpec(P("/W/M/Ball")), kNoSpec);
}

}  // namespace
}  // namespace stagedoor
