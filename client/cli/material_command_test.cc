#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class MaterialCommandTest : public CommandsTest {
 protected:
  MaterialCommandTest() {
    Write("root.usda", R"(
def Material "Base" {}
def Material "Look" (specializes = </Base>) {
  color3f inputs:tint = (1, 0, 0)
  token outputs:ri:surface.connect = </Look/Paint.outputs:out>
  def Shader "Paint" {
    uniform token info:id = "UsdPreviewSurface"
    color3f inputs:diffuseColor.connect = </Look.inputs:tint>
    float inputs:roughness.connect = </Look/Noise.outputs:out>
    token outputs:out
  }
  def Shader "Noise" {
    uniform token info:implementationSource = "sourceAsset"
    uniform asset info:osl:sourceAsset = @noise.oso@
    float inputs:scale.timeSamples = { 1: 1, 5: 2 }
    float outputs:out
  }
}
def Xform "A" (apiSchemas = ["CollectionAPI:none"]) {
  rel collection:none:includes = </Look>
  rel material:binding = </Look>
  rel material:binding:collection:c = [</A.collection:none>, </Look>]
  def Mesh "B" {
    rel material:binding:full = </Gone>
  }
}
)");
  }
};

TEST_F(MaterialCommandTest, ExplainsWhatAPrimIsBoundTo) {
  EXPECT_EQ(Printed(RunMaterial, {"material", "/root.usda", "/A/B"}),
            "/A/B: /Look\n"
            "  /A.material:binding:collection:c = /Look for /A.collection:none: the prim is not in "
            "the collection\n"
            "  /A.material:binding = /Look: wins\n");
  EXPECT_EQ(Printed(RunMaterial, {"material", "/root.usda", "/A/B", "--purpose=full"}),
            "/A/B: none\n"
            "  /A/B.material:binding:full: wins; /Gone is missing or of another kind\n"
            "  /A.material:binding:collection:c = /Look for /A.collection:none: the prim is not in "
            "the collection\n"
            "  /A.material:binding = /Look: a binding for the purpose wins\n");
  EXPECT_EQ(Printed(RunMaterial, {"material", "/root.usda", "/A", "--format=csv"}),
            "relationship,material,collection,stronger,outcome,wrong_target\r\n"
            "/A.material:binding:collection:c,/Look,/A.collection:none,false,"
            "the prim is not in the collection,\r\n"
            "/A.material:binding,/Look,,false,wins,\r\n");
}

TEST_F(MaterialCommandTest, PrintsTheShadersOfAMaterial) {
  EXPECT_EQ(Printed(RunMaterial, {"material", "/root.usda", "/Look", "--context=ri", "--time=5"}),
            "/Look\n"
            "  specializes /Base\n"
            "  surface (ri): /Look/Paint.outputs:out\n"
            "  /Look/Paint UsdPreviewSurface\n"
            "    diffuseColor = [1,0,0]  from /Look.inputs:tint\n"
            "    roughness <- /Look/Noise.outputs:out\n"
            "  /Look/Noise osl:noise.oso\n"
            "    scale = 2\n");
  EXPECT_EQ(Printed(RunMaterial, {"material", "/root.usda", "/Base", "--graph", "--format=table"}),
            "node  id  port  type  value  connections\n");
}

TEST_F(MaterialCommandTest, MissingPrimsAreErrors) {
  EXPECT_EQ(Failure(RunMaterial, {"material", "/root.usda", "/Nowhere"}).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
