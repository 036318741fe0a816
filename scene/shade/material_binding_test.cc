#include "scene/shade/material_binding.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/collection.h"
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
    const MaterialBinding* binding = bindings_->Find(stage_->FindPrim(P(path)), purpose);
    if (binding == nullptr) return "none";
    return Concat(binding->material.name().text(), " by ", binding->prim.path().ToString(), ".",
                  binding->relationship.text());
  }

  // The candidates of a prim: relationship, name of the material, outcome, and what is wrong.
  std::vector<std::string> Explained(std::string_view path, std::string_view purpose) {
    constexpr const char* kOutcomes[] = {
        "wins",         "other purpose", "closer wins", "stronger above wins", "collection wins",
        "earlier wins", "no member",     "broken"};
    std::vector<std::string> texts;
    const Prim prim = stage_->FindPrim(P(path));
    for (const BindingCandidate& c : bindings_->Explain(prim, purpose)) {
      texts.push_back(Concat(c.relationship.ToString(), " ", c.material.name().text(), " ",
                             kOutcomes[static_cast<int>(c.outcome)]));
      if (!c.wrong.empty()) texts.back() += " not " + c.wrong.ToString();
    }
    return texts;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::unique_ptr<MaterialBindings> bindings_;
};

using Texts = std::vector<std::string>;

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

TEST_F(MaterialBindingTest, PurposesAreTriedInOrder) {
  Open(R"(
def Mesh "A" {
  rel material:binding = </Looks/red>
  rel material:binding:preview = </Looks/blue>
})");
  const auto bound = [&](const Texts& purposes) {
    const MaterialBinding* found = bindings_->FindInOrder(stage_->FindPrim(P("/A")), purposes);
    return found ? found->material.name().str() : std::string("none");
  };
  EXPECT_EQ(bound({"full", ""}), "red");
  EXPECT_EQ(bound({"full", "preview", ""}), "blue");
  EXPECT_EQ(bound({"", "preview"}), "red");
  EXPECT_EQ(bound({"full"}), "none") << "bindings for all purposes were not asked for";
  EXPECT_EQ(bound({}), "none");
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

TEST_F(MaterialBindingTest, AnyPurposeHasItsBindings) {
  Open(R"(
def Xform "A" (
  apiSchemas = ["CollectionAPI:heavy"]
) {
  rel material:binding = </Looks/red>
  rel material:binding:physics = </Looks/blue>
  rel material:binding:collection:physics:heavy = [</A.collection:heavy>, </Looks/green>]
  rel collection:heavy:includes = </A/B>
  def Mesh "B" {}
  def Mesh "C" {}
})");
  EXPECT_EQ(Bound("/A/B", "physics"), "green by /A.material:binding:collection:physics:heavy");
  EXPECT_EQ(Bound("/A/C", "physics"), "blue by /A.material:binding:physics");
  EXPECT_EQ(Bound("/A/C", "odd"), "red by /A.material:binding");
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

TEST_F(MaterialBindingTest, SiblingsShareTheRulesAboveThemButNotTheirOwn) {
  Open(R"(
def Xform "A" (apiSchemas = ["CollectionAPI:wide", "CollectionAPI:narrow", "CollectionAPI:all"]) {
  rel collection:wide:includes = [</A/B>, </A/B/D/F>]
  rel collection:wide:excludes = [</A/B/D>, </A/B/C>]
  uniform token collection:narrow:expansionRule = "explicitOnly"
  rel collection:narrow:includes = [</A>, </A/B>, </A/B/C>]
  uniform bool collection:all:includeRoot = 1
  rel collection:all:excludes = </A/B/D>
  rel material:binding:collection:wide:only = [</A.collection:wide>, </Looks/red>]
  rel material:binding:collection:narrow:only = [</A.collection:narrow>, </Looks/red>]
  rel material:binding:collection:all:only = [</A.collection:all>, </Looks/red>]
  def Xform "B" {
    def Xform "C" {
      def Mesh "E" {}
    }
    def Xform "D" {
      def Mesh "E" {}
      def Mesh "F" {}
      def Mesh "G" {}
    }
    def Mesh "E" {}
    def Mesh "F" {}
  }
  def Mesh "C" {}
})");
  const Prim owner = stage_->FindPrim(P("/A"));
  std::vector<Prim> prims;
  for (const Prim& prim : stage_->Traverse(owner, PrimFlagsPredicate::All())) prims.push_back(prim);
  ASSERT_EQ(prims.size(), 11u);
  const std::vector<Prim> reversed(prims.rbegin(), prims.rend());
  for (const std::vector<Prim>& order : {prims, reversed}) {
    for (const char* name : {"wide", "narrow", "all"}) {
      const auto members = Collection(owner, Token(name)).ComputeMembershipQuery(scene_.context());
      for (const Prim& prim : order) {
        EXPECT_EQ(bindings_->Find(prim, name) != nullptr, members.Includes(prim.path()))
            << name << " " << prim.path().ToString();
      }
    }
  }
}

// OpenUSD #4104. The expectations are those of UsdShadeMaterialBindingAPI::ComputeBoundMaterial.
TEST_F(MaterialBindingTest, CollectionsInInstancesBindTheirMembers) {
  Open(R"(
def Xform "Cart" (apiSchemas = ["CollectionAPI:wheels"]) {
  rel collection:wheels:includes = [</Cart/Geo/Wheel>, </Cart/Geo/Spare>]
  rel collection:wheels:excludes = </Cart/Geo/Spare/Hub>
  rel material:binding = </Cart/Looks/wood>
  rel material:binding:collection:wheels = [</Cart.collection:wheels>, </Cart/Looks/iron>]
  def Scope "Looks" {
    def Material "wood" {}
    def Material "iron" {}
  }
  def Xform "Geo" (apiSchemas = ["CollectionAPI:seats"]) {
    rel collection:seats:includes = </Cart/Geo/Bench>
    rel material:binding:collection:seats = [</Cart/Geo.collection:seats>, </Cart/Looks/iron>]
    def Mesh "Wheel" {}
    def Mesh "Bench" {}
    def Mesh "Floor" {}
    def Xform "Spare" {
      def Mesh "Hub" {}
      def Mesh "Rim" {}
    }
  }
}
def "Instanced" (
  instanceable = true
  references = </Cart>
) {}
def "Twin" (
  instanceable = true
  references = </Cart>
) {}
def "Copy" (references = </Cart>) {})");
  for (const std::string root : {"/Instanced", "/Twin", "/Copy", "/Cart"}) {
    const auto material = [&](std::string_view prim) {
      const Path path = P(Concat(root, "/Geo/", prim));
      const MaterialBinding* binding = bindings_->Find(stage_->FindPrim(path), "");
      return binding == nullptr ? "none" : binding->material.ToString();
    };
    EXPECT_EQ(material("Wheel"), root + "/Looks/iron");
    EXPECT_EQ(material("Bench"), root + "/Looks/iron");
    EXPECT_EQ(material("Floor"), root + "/Looks/wood");
    EXPECT_EQ(material("Spare/Hub"), root + "/Looks/wood");
    EXPECT_EQ(material("Spare/Rim"), root + "/Looks/iron");
    EXPECT_EQ(Bound(root + "/Geo/Bench"),
              Concat("iron by ", root, "/Geo.material:binding:collection:seats"));
    EXPECT_EQ(Bound(root + "/Geo/Wheel"),
              Concat("iron by ", root, ".material:binding:collection:wheels"));
  }
}

TEST_F(MaterialBindingTest, EveryCandidateIsExplained) {
  Open(R"(
def Xform "A" (apiSchemas = ["CollectionAPI:all", "CollectionAPI:none"]) {
  rel collection:all:includes = </A>
  rel collection:none:includes = </Looks>
  rel material:binding = </Looks/red>
  rel material:binding:collection:z = [</A.collection:none>, </Looks/red>]
  rel material:binding:collection:y = [</A.collection:all>, </Looks/red>]
  rel material:binding:collection:x = [</A.collection:all>, </Looks/red>]
  rel material:binding:full = </Looks/gone> (bindMaterialAs = "strongerThanDescendants")
  rel material:binding:preview = </Looks/red>
  def Xform "B" {
    rel material:binding = </Looks/blue>
    rel material:binding:full = </Looks/blue>
    rel material:binding:collection:w = </Looks/red>
    def Mesh "C" {}
  }
})");
  EXPECT_EQ(
      Explained("/A/B/C", ""),
      (Texts{"/A/B.material:binding blue wins", "/A.material:binding:collection:x red closer wins",
             "/A.material:binding:collection:y red closer wins",
             "/A.material:binding:collection:z red no member",
             "/A.material:binding red closer wins", "/A/B.material:binding:collection:w  broken"}));
  EXPECT_EQ(Explained("/A", ""), (Texts{"/A.material:binding:collection:x red wins",
                                        "/A.material:binding:collection:y red earlier wins",
                                        "/A.material:binding:collection:z red no member",
                                        "/A.material:binding red collection wins"}));
  const Texts full = Explained("/A/B/C", "full");
  ASSERT_EQ(full.size(), 8u);
  EXPECT_EQ(full[0], "/A/B.material:binding:full blue stronger above wins");
  EXPECT_EQ(full[1], "/A.material:binding:full  wins not /Looks/gone");
  EXPECT_EQ(full[2], "/A/B.material:binding blue other purpose");
  EXPECT_EQ(Explained("/Looks", "full"), Texts{});
}

}  // namespace
}  // namespace stagedoor
