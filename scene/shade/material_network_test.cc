#include "scene/shade/material_network.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/shade/node_definition.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/values/asset_path.h"

namespace stagedoor {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kMaterial = R"(
def Material "M" {
  float inputs:gain = 2
  token outputs:surface.connect = </M/S.outputs:out>
  token outputs:ri:surface.connect = </M/R.outputs:out>
  token outputs:odd:surface = "not connected"
  token outputs:displacement.connect = </M/G.outputs:up>
  def NodeGraph "G" {
    float inputs:in.connect = </M.inputs:gain>
    float outputs:up.connect = </M/G/T.outputs:up>
    def Shader "T" {
      float outputs:up
      float inputs:x.connect = </M/G.inputs:in>
    }
  }
  def Shader "S" {
    token outputs:out
    float inputs:a.connect = </M/G.outputs:up>
    float inputs:b = 1
  }
  def Shader "R" {
    token outputs:out
  }
})";

class MaterialNetworkTest : public testing::Test {
 protected:
  Prim Open(std::string_view text, std::string_view path = "/M") {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
    return stage_->FindPrim(P(path));
  }
  MaterialNetwork Compute(const Prim& prim, const MaterialNetworkOptions& options = {}) {
    return ComputeMaterialNetwork(scene_.context(), prim, options, problems_);
  }
  static std::string Source(const MaterialNetwork& network, const NetworkSource& source) {
    return Concat(network.nodes[source.node].prim.PathText(), ".", source.name.text());
  }
  static Texts Terminals(const MaterialNetwork& network) {
    Texts texts;
    for (const NetworkTerminal& terminal : network.terminals) {
      texts.push_back(Concat(terminal.render_context, ":", terminal.name.text(), " ",
                             Source(network, terminal.source)));
    }
    return texts;
  }
  // The nodes, each with its ports: "/A b<-/C.d=/E.f".
  static Texts Nodes(const MaterialNetwork& network) {
    Texts texts;
    for (const NetworkNode& node : network.nodes) {
      std::string text = node.prim.PathText();
      for (const NetworkPort& port : node.ports) {
        text += Concat(" ", port.attribute.name().text());
        for (const NetworkSource& source : port.connections) text += "<-" + Source(network, source);
        if (port.value.valid()) text += "=" + port.value.path().ToString();
      }
      texts.push_back(text);
    }
    return texts;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  ConnectionProblems problems_{scene_.context()};
};

TEST_F(MaterialNetworkTest, TheFirstContextWithAShaderWins) {
  const Prim material = Open(kMaterial);
  const std::string displacement = ":displacement /M/G/T.outputs:up";
  EXPECT_EQ(Terminals(Compute(material)), (Texts{":surface /M/S.outputs:out", displacement}));
  EXPECT_EQ(Terminals(Compute(material, {.render_contexts = {"odd", "ri", ""}})),
            (Texts{"ri:surface /M/R.outputs:out", displacement}));
  EXPECT_EQ(Terminals(Compute(material, {.render_contexts = {"never heard of", "odd"}})),
            (Texts{":surface /M/S.outputs:out", displacement}));
}

TEST_F(MaterialNetworkTest, OnlyShadersAreTerminals) {
  const Prim material = Open(R"(
def Material "M" {
  token outputs:surface.connect = </M/S.outputs:out>
  token outputs:ri:surface.connect = </M/X.outputs:out>
  def Shader "S" {
    token outputs:out
  }
  def Scope "X" {
    token outputs:out
  }
})");
  EXPECT_EQ(Terminals(Compute(material)), Texts{":surface /M/S.outputs:out"});
  EXPECT_EQ(Terminals(Compute(material, {.render_contexts = {"ri"}})), Texts{});
}

TEST_F(MaterialNetworkTest, AFlatNetworkHasShadersOnly) {
  EXPECT_EQ(Nodes(Compute(Open(kMaterial))),
            (Texts{"/M/S inputs:a<-/M/G/T.outputs:up inputs:b=/M/S.inputs:b",
                   "/M/G/T inputs:x=/M.inputs:gain"}));
}

TEST_F(MaterialNetworkTest, AGraphIsConnectedAsAuthored) {
  const MaterialNetwork network = Compute(Open(kMaterial), {.flatten = false});
  EXPECT_EQ(Terminals(network).front(), ":surface /M/S.outputs:out");
  EXPECT_EQ(
      Nodes(network),
      (Texts{"/M inputs:gain=/M.inputs:gain outputs:displacement<-/M/G.outputs:up"
             " outputs:odd:surface=/M.outputs:odd:surface outputs:ri:surface<-/M/R.outputs:out"
             " outputs:surface<-/M/S.outputs:out",
             "/M/S inputs:a<-/M/G.outputs:up inputs:b=/M/S.inputs:b outputs:out",
             "/M/G/T inputs:x<-/M/G.inputs:in outputs:up",
             "/M/G inputs:in<-/M.inputs:gain outputs:up<-/M/G/T.outputs:up", "/M/R outputs:out"}));
}

TEST_F(MaterialNetworkTest, TheFirstOfSeveralValuesCounts) {
  const Prim material = Open(R"(
def Material "M" {
  token outputs:surface.connect = </M/S.outputs:out>
  float inputs:a = 1
  float inputs:b = 2
  def Shader "S" {
    token outputs:out
    float inputs:x.connect = [</M/S.outputs:out>, </M.inputs:b>, </M.inputs:a>]
  }
})");
  EXPECT_EQ(Nodes(Compute(material)), Texts{"/M/S inputs:x<-/M/S.outputs:out=/M.inputs:b"});
}

TEST_F(MaterialNetworkTest, BrokenConnectionsAreListed) {
  const Prim material = Open(R"(
def Material "M" {
  token outputs:surface.connect = </M/S.outputs:out>
  def Shader "S" {
    token outputs:out
    float inputs:x.connect = </M/Gone.outputs:a>
  }
})");
  for (const bool flatten : {true, false}) {
    ConnectionProblems problems(scene_.context());
    ComputeMaterialNetwork(scene_.context(), material, {.flatten = flatten}, problems);
    ASSERT_EQ(problems.all().size(), 1u) << flatten;
    EXPECT_EQ(problems.all()[0].attribute.ToString(), "/M/S.inputs:x");
    EXPECT_EQ(problems.all()[0].source.ToString(), "/M/Gone.outputs:a");
  }
}

TEST_F(MaterialNetworkTest, NodesOfAnInstanceAreItsOwn) {
  const Prim material = Open(R"(
def Scope "Asset" {
  def Material "M" (specializes = </Asset/Base>) {
    token outputs:surface.connect = </Asset/M/S.outputs:out>
    def Shader "S" {
      token outputs:out
    }
  }
  def Material "Base" {
  }
}
def "I" (
  references = </Asset>
  instanceable = true
) {
})",
                             "/I/M");
  EXPECT_EQ(Nodes(Compute(material)), Texts{"/I/M/S"});
  EXPECT_EQ(BaseMaterialPath(material).ToString(), "/I/Base");
}

TEST_F(MaterialNetworkTest, TheBaseIsTheStrongestMaterialThatIsSpecialized) {
  Open(R"(
def Scope "Scope" {
}
def Material "A" {
}
def Material "B" (specializes = </A>) {
}
def Material "C" (specializes = [</Scope>, </Gone>, </B>]) {
}
def Material "D" (references = </C>) {
}
def Material "E" (inherits = </A>) {
})");
  const auto base = [&](const char* path) {
    return BaseMaterialPath(stage_->FindPrim(P(path))).ToString();
  };
  EXPECT_EQ(base("/A"), "");
  EXPECT_EQ(base("/B"), "/A");
  EXPECT_EQ(base("/C"), "/B");
  EXPECT_EQ(base("/D"), "/B");
  EXPECT_EQ(base("/E"), "");
}

class NodeDefinitionTest : public MaterialNetworkTest {
 protected:
  NodeDefinition Read(std::string_view properties) {
    const Prim prim = Open(Concat("def Shader \"S\" {\n", properties, "\n}\n"), "/S");
    return ReadNodeDefinition(scene_.context(), prim);
  }
  static std::string Text(const NodeSource& source) {
    const AssetPath* asset = source.source.Get<AssetPath>();
    const std::string* code = source.source.Get<std::string>();
    return Concat(source.type, "=",
                  asset != nullptr ? asset->authored
                  : code           ? *code
                                   : "none",
                  "/", source.sub_identifier.text());
  }
  static Texts Sources(const NodeDefinition& definition) {
    Texts texts;
    for (const NodeSource& source : definition.sources) texts.push_back(Text(source));
    return texts;
  }
};

TEST_F(NodeDefinitionTest, IdsCountUnlessThereIsASource) {
  EXPECT_EQ(Read("").implementation_source, Token("id"));
  EXPECT_EQ(Read("uniform token info:id = \"a\"").id, Token("a"));
  const char* odd =
      "uniform token info:implementationSource = \"odd\"\n"
      "uniform token info:id = \"a\"";
  EXPECT_EQ(Read(odd).id, Token("a"));
  const NodeDefinition definition = Read(
      "uniform token info:implementationSource = \"sourceCode\"\nuniform token info:id = \"a\"");
  EXPECT_EQ(definition.implementation_source, Token("sourceCode"));
  EXPECT_TRUE(definition.id.empty());
}

TEST_F(NodeDefinitionTest, SourcesAreListedByType) {
  const char* properties = R"(
  uniform token info:implementationSource = "sourceAsset"
  uniform asset info:osl:sourceAsset = @b@
  uniform token info:osl:sourceAsset:subIdentifier = "part"
  uniform asset info:mdl:sourceAsset = @c@
  uniform asset info:sourceAsset = @a@
  uniform token info:sourceAsset:subIdentifier = "all"
  uniform asset info:two:words:sourceAsset = @d@
  uniform string info:text:sourceAsset = "no asset"
  uniform string info:glslfx:sourceCode = "code")";
  EXPECT_EQ(Sources(Read(properties)),
            (Texts{"=a/all", "mdl=c/all", "osl=b/part", "text=none/all"}));
  const char* code = R"(
  uniform token info:implementationSource = "sourceCode"
  uniform string info:glslfx:sourceCode = "code"
  uniform asset info:sourceAsset = @a@)";
  EXPECT_EQ(Sources(Read(code)), Texts{"glslfx=code/"});
}

}  // namespace
}  // namespace stagedoor
