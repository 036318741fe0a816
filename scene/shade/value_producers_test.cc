#include "scene/shade/value_producers.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/shade/connections.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

using Texts = std::vector<std::string>;

class ValueProducersTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  // The attributes that produce the value of an attribute of the prim /M or below.
  Texts Find(std::string_view prim, std::string_view name, bool outputs_only = false) {
    ValueProducers producers(scene_.context(), problems_);
    const Attribute attribute = stage_->FindPrim(P(prim)).GetAttribute(Token(name));
    Texts texts;
    for (const Attribute& found : producers.Find(attribute, outputs_only)) {
      texts.push_back(found.path().ToString());
    }
    return texts;
  }
  Texts Problems() const {
    Texts texts;
    for (const ConnectionProblem& problem : problems_.all()) {
      const char* kinds[] = {"no source", "cycle", "too large"};
      texts.push_back(Concat(problem.attribute.ToString(), " ",
                             kinds[static_cast<int>(problem.reason)], " ",
                             problem.source.ToString()));
    }
    return texts;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  ConnectionProblems problems_{scene_.context()};
};

TEST_F(ValueProducersTest, ConnectionsLeadThroughContainersToShadersAndValues) {
  Open(R"(
def Material "M" {
  float inputs:gain = 2
  token outputs:surface.connect = </M/S.outputs:out>
  def NodeGraph "G" {
    float inputs:in.connect = </M.inputs:gain>
    float outputs:out.connect = </M/G/T.outputs:out>
    float outputs:plain = 3
    def Shader "T" {
      float outputs:out
      float inputs:x.connect = </M/G.inputs:in>
    }
  }
  def Shader "S" {
    token outputs:out
    float inputs:a.connect = </M/G.outputs:out>
    float inputs:b.connect = </M/G.outputs:plain>
    float inputs:own = 1
    float inputs:none
    float inputs:several.connect = [</M/G.outputs:out>, </M.inputs:gain>]
  }
})");
  EXPECT_EQ(Find("/M", "outputs:surface"), Texts{"/M/S.outputs:out"});
  EXPECT_EQ(Find("/M/S", "inputs:a"), Texts{"/M/G/T.outputs:out"});
  EXPECT_EQ(Find("/M/S", "inputs:b"), Texts{"/M/G.outputs:plain"});
  EXPECT_EQ(Find("/M/S", "inputs:b", /*outputs_only=*/true), Texts{});
  EXPECT_EQ(Find("/M/G/T", "inputs:x"), Texts{"/M.inputs:gain"});
  EXPECT_EQ(Find("/M/S", "inputs:own"), Texts{"/M/S.inputs:own"});
  EXPECT_EQ(Find("/M/S", "inputs:none"), Texts{});
  EXPECT_EQ(Find("/M/S", "outputs:out"), Texts{}) << "it makes its values itself";
  EXPECT_EQ(Problems(), Texts{});
}

TEST_F(ValueProducersTest, SeveralConnectionsAreAllFollowedInOrder) {
  Open(R"(
def Material "M" {
  float inputs:a = 1
  float inputs:b.connect = [</M/S.outputs:out>, </M.inputs:a>]
  float inputs:c.connect = [</M.inputs:b>, </M.inputs:a>]
  def Shader "S" {
    float outputs:out
  }
})");
  EXPECT_EQ(Find("/M", "inputs:c"), (Texts{"/M/S.outputs:out", "/M.inputs:a", "/M.inputs:a"}));
  EXPECT_EQ(Find("/M", "inputs:c", /*outputs_only=*/true), Texts{"/M/S.outputs:out"});
}

TEST_F(ValueProducersTest, ConnectionsToNothingLeaveTheOwnValue) {
  Open(R"(
def Material "M" {
  float inputs:empty
  float inputs:blocked = None
  def Shader "S" {
    float inputs:a = 1
    float inputs:a.connect = [</M.inputs:empty>, </M.inputs:blocked>, </M.inputs:gone>]
    float inputs:b.connect = </M/S.inputs:a>
    float inputs:c = 1
    float inputs:c.connect = [</M/S.other>, </M>, </M/S.outputs:rel>]
    rel outputs:rel
    float other = 2
  }
})");
  EXPECT_EQ(Find("/M/S", "inputs:a"), Texts{"/M/S.inputs:a"});
  EXPECT_EQ(Problems(), Texts{"/M/S.inputs:a no source /M.inputs:gone"});
  EXPECT_EQ(Find("/M/S", "inputs:b"), Texts{}) << "the inputs of a shader are its own";
  EXPECT_EQ(Find("/M/S", "inputs:c"), Texts{"/M/S.inputs:c"});
  EXPECT_EQ(Problems().size(), 4u);
}

TEST_F(ValueProducersTest, CirclesEndWhereTheyBegan) {
  Open(R"(
def Material "M" {
  float inputs:a = 1
  float inputs:a.connect = </M.inputs:b>
  float inputs:b.connect = </M.inputs:a>
  float inputs:c.connect = </M.inputs:c>
})");
  EXPECT_EQ(Find("/M", "inputs:a"), Texts{"/M.inputs:a"});
  EXPECT_EQ(Find("/M", "inputs:b"), Texts{"/M.inputs:a"});
  EXPECT_EQ(Find("/M", "inputs:c"), Texts{});
  EXPECT_EQ(Problems(), (Texts{"/M.inputs:a cycle ", "/M.inputs:b cycle ", "/M.inputs:c cycle "}));
}

TEST_F(ValueProducersTest, LightsAndFiltersAreContainersEvenIfTheyAreShaders) {
  Open(R"(
def SphereLight "Light" {
}
def LightFilter "Filter" {
}
def Mesh "Lit" (apiSchemas = ["MeshLightAPI"]) {
}
def Shader "Odd" (apiSchemas = ["LightAPI"]) {
}
def Material "M" {
}
def Scope "Scope" {
}
def Shader "Plain" (apiSchemas = ["MeshLightAPI"]) {
}
)");
  for (const char* path : {"/Light", "/Filter", "/Lit", "/M", "/Odd"}) {
    EXPECT_TRUE(IsContainer(stage_->FindPrim(P(path)))) << path;
  }
  for (const char* path : {"/Scope", "/Plain"}) {
    EXPECT_FALSE(IsContainer(stage_->FindPrim(P(path)))) << path;
  }
}

// Inputs that are connected to the two before them, so that the ways double with each.
TEST_F(ValueProducersTest, TheNumberOfConnectionsIsBounded) {
  std::string text = "def Material \"M\" {\nfloat inputs:a0 = 1\nfloat inputs:b0 = 1\n";
  for (int i = 1; i <= 40; ++i) {
    for (const char* name : {"a", "b"}) {
      text += Concat("float inputs:", name, i, ".connect = [</M.inputs:a", i - 1, ">, </M.inputs:b",
                     i - 1, ">]\n");
    }
  }
  Open(text + "}\n");
  EXPECT_EQ(Find("/M", "inputs:a3").size(), 8u);
  EXPECT_EQ(Problems(), Texts{});
  EXPECT_LE(Find("/M", "inputs:a40").size(), ValueProducers::kMaxFollowed);
  EXPECT_EQ(Problems(), Texts{"/M.inputs:a40 too large "});
}

TEST_F(ValueProducersTest, TheLengthOfAChainIsBounded) {
  std::string text = "def Material \"M\" {\nfloat inputs:a0 = 1\n";
  const size_t last = ValueProducers::kMaxDepth;
  for (size_t i = 1; i <= last; ++i) {
    text += Concat("float inputs:a", i, ".connect = </M.inputs:a", i - 1, ">\n");
  }
  Open(text + "}\n");
  EXPECT_EQ(Find("/M", Concat("inputs:a", last - 1)), Texts{"/M.inputs:a0"});
  EXPECT_EQ(Problems(), Texts{});
  EXPECT_EQ(Find("/M", Concat("inputs:a", last)), Texts{});
  EXPECT_EQ(Problems(), Texts{Concat("/M.inputs:a", last, " too large ")});
}

}  // namespace
}  // namespace stagedoor
