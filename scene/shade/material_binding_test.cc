#include "scene/shade/material_binding.h"

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr const char* kLooks = R"(
def Scope "Looks" {
  def Material "red" {}
  def Material "blue" {}
  def Material "green" {}
  def Scope "none" {}
}
)";

class MaterialBindingTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", Concat(kLooks, text));
    stage_ = scene_.Open("a.usda");
    bindings_ = std::make_unique<MaterialBindings>(scene_.context());
  }
  // The material of a prim and the relationship that binds it, without the folder of materials.
  std::string Bound(std::string_view path, std::string_view purpose = "") {
    const MaterialBinding* binding = bindings_->Find(stage_->FindPrim(P(path)), Token(purpose));
    if (binding == nullptr) return "none";
    return Concat(binding->material.name().text(), " by ", binding->prim.path().ToString(), ".",
                  binding->relationship.text());
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::unique_ptr<MaterialBindings> bindings_;
};

TEST_F(MaterialBindingTest, TheClosestDirectBindingWins) {
  Open(R"(
def Xform "A" {
  rel material:binding = </Looks/red>
  def Xform "B" {
    def Mesh "C" {
      rel material:binding = </Looks/blue>
    }
  }
}
def Mesh "D" {})");
  EXPECT_EQ(Bound("/A"), "red by /A.material:binding");
  EXPECT_EQ(Bound("/A/B"), "red by /A.material:binding");
  EXPECT_EQ(Bound("/A/B/C"), "blue by /A/B/C.material:binding");
  EXPECT_EQ(Bound("/D"), "none");
}

TEST_F(MaterialBindingTest, AStrongerOneAboveWins) {
  Open(R"(
def Xform "A" {
  rel material:binding = </Looks/red> (bindMaterialAs = "strongerThanDescendants")
  def Xform "B" {
    rel material:binding = </Looks/green> (bindMaterialAs = "strongerThanDescendants")
    def Mesh "C" {
      rel material:binding = </Looks/blue>
    }
  }
})");
  EXPECT_EQ(Bound("/A/B/C"), "red by /A.material:binding")
      << "the highest of several stronger ones";
}

TEST_F(MaterialBindingTest, ABindingForThePurposeWins) {
  Open(R"(
def Xform "A" {
  rel material:binding:full = </Looks/red>
  def Mesh "B" {
    rel material:binding = </Looks/blue> (bindMaterialAs = "strongerThanDescendants")
  }
})");
  EXPECT_EQ(Bound("/A/B", "full"), "red by /A.material:binding:full");
  EXPECT_EQ(Bound("/A/B", "preview"), "blue by /A/B.material:binding");
  EXPECT_EQ(Bound("/A/B"), "blue by /A/B.material:binding");
  EXPECT_EQ(Bound("/A"), "none");
}

TEST_F(MaterialBindingTest, CollectionsBindTheirMembers) {
  Open(R"(
def Xform "A" (apiSchemas = ["CollectionAPI:c", "CollectionAPI:d"]) {
  rel collection:c:includes = </A/B>
  rel collection:d:includes = </A>
  rel material:binding = </Looks/green>
  rel material:binding:collection:x = [</A.collection:c>, </Looks/red>]
  rel material:binding:collection:y = [</Looks/blue>, </A.collection:d>]
  def Mesh "B" {}
  def Mesh "C" {}
  def Mesh "D" {
    rel material:binding = </Looks/green>
  }
})");
  EXPECT_EQ(Bound("/A/B"), "red by /A.material:binding:collection:x")
      << "the first in property order";
  EXPECT_EQ(Bound("/A/C"), "blue by /A.material:binding:collection:y")
      << "the targets in any order";
  EXPECT_EQ(Bound("/A"), "blue by /A.material:binding:collection:y")
      << "wins over a direct binding of the same prim";
  EXPECT_EQ(Bound("/A/D"), "green by /A/D.material:binding") << "but not over one that is closer";
}

TEST_F(MaterialBindingTest, NamesOfCollectionBindingsHaveTheirPurpose) {
  Open(R"(
def Mesh "A" (apiSchemas = ["CollectionAPI:c"]) {
  rel collection:c:includes = </A>
  rel material:binding:collection:full:x = [</A.collection:c>, </Looks/red>]
  rel material:binding:collection:full2 = [</A.collection:c>, </Looks/blue>]
})");
  EXPECT_EQ(Bound("/A", "full"), "red by /A.material:binding:collection:full:x");
  EXPECT_EQ(Bound("/A"), "blue by /A.material:binding:collection:full2");
}

TEST_F(MaterialBindingTest, TargetsAreForwarded) {
  Open(R"(
def Mesh "A" {
  rel look = </Looks/red>
  rel material:binding = </A.look>
})");
  EXPECT_EQ(Bound("/A"), "red by /A.material:binding");
}

TEST_F(MaterialBindingTest, AMissingMaterialIsBoundToo) {
  Open(R"(
def Xform "A" {
  rel material:binding = </Looks/red>
  def Mesh "B" {
    rel material:binding = </Looks/gone>
  }
  def Mesh "C" {
    rel material:binding = </Looks/none>
  }
})");
  EXPECT_EQ(Bound("/A/B"), " by /A/B.material:binding");
  EXPECT_EQ(Bound("/A/C"), " by /A/C.material:binding");
}

TEST_F(MaterialBindingTest, BrokenBindingsAreReportedOnce) {
  Open(R"(
def Xform "A" {
  rel material:binding = </Looks/red>
  def Mesh "B" {
    rel material:binding = </Looks/none>
    rel material:binding:full = </Looks/gone>
    rel material:binding:preview = [</Looks/red>, </Looks/blue>]
    rel material:binding:collection:c = [</Gone.collection:c>, </Looks/red>]
    rel material:binding:collection:d = [</A.collection:unapplied>, </Looks/red>]
  }
  def Mesh "Unbound" {
    rel material:binding = None
  }
})");
  EXPECT_EQ(Bound("/A/B", "preview"), " by /A/B.material:binding");
  EXPECT_EQ(Bound("/A/B"), " by /A/B.material:binding");
  EXPECT_EQ(Bound("/A/Unbound"), "red by /A.material:binding");
  ASSERT_EQ(bindings_->broken().size(), 5u);
  const auto has = [&](std::string_view relationship, BrokenBinding::Reason reason) {
    for (const BrokenBinding& broken : bindings_->broken()) {
      if (broken.relationship == P(relationship) && broken.reason == reason) return true;
    }
    return false;
  };
  EXPECT_TRUE(has("/A/B.material:binding", BrokenBinding::Reason::kMaterial));
  EXPECT_TRUE(has("/A/B.material:binding:full", BrokenBinding::Reason::kMaterial));
  EXPECT_TRUE(has("/A/B.material:binding:preview", BrokenBinding::Reason::kTargets));
  EXPECT_TRUE(has("/A/B.material:binding:collection:c", BrokenBinding::Reason::kCollection));
  EXPECT_TRUE(has("/A/B.material:binding:collection:d", BrokenBinding::Reason::kCollection));
}

TEST_F(MaterialBindingTest, PrimsBelowInstancesAreBoundWhereTheyAre) {
  Open(R"(
class Xform "Asset" {
  def Material "own" {}
  def Mesh "Geo" {
    rel material:binding = </Asset/own>
  }
  def Mesh "Bare" {}
}
def Xform "A" {
  rel material:binding = </Looks/red>
  def "I" (
    references = </Asset>
    instanceable = true
  ) {}
}
def "J" (
    references = </Asset>
    instanceable = true
  ) {})");
  EXPECT_EQ(Bound("/A/I/Geo"), "own by /A/I/Geo.material:binding");
  EXPECT_EQ(Bound("/A/I/Bare"), "red by /A.material:binding");
  EXPECT_EQ(Bound("/J/Bare"), "none");
}

}  // namespace
}  // namespace stagedoor
