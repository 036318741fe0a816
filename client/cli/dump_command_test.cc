#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/testing/commands_test.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

class DumpCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("weak.usda", "def \"P\" { double x = 7; }\n");
    Write("root.usda", R"((
    defaultPrim = "P"
    subLayers = [@./weak.usda@]
)
def "P" (
    apiSchemas = ["CollectionAPI:c"]
    kind = "component"
    variants = { string look = "red" }
    variantSets = "look"
)
{
    custom double x.timeSamples = { 1: 10, 3: 30 }
    double none = None
    rel r = </P/I>
    uniform token collection:c:expansionRule = "explicitOnly"
    rel collection:c:includes = </P/Off>
    double pipe.connect = </P.x>
    def "I" (instanceable = true
        references = </Source>) {}
    def "J" (instanceable = true
        references = </Source>) {}
    def "Off" (active = false) {}
    def "Later" (payload = </Source>) {}
    variantSet "look" = {
        "red" {}
    }
}
class "Source" {
    def Cube "Ball" {
        double3 xformOp:translate = (1, 0, 0)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
        float[] primvars:w = [2, 3] (
            elementSize = 2
            interpolation = "constant"
        )
        uniform token purpose = "render"
        token visibility = "invisible"
    }
}
def "Broken" (references = @./missing.usda@) {}
over "Over" {}
)");
  }

  // The line of a dump that begins with `begin`.
  std::string Line(const Args& options, const std::string& begin) {
    Args args = {"dump", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    const std::string all = Printed(RunDump, args);
    const size_t at = ("\n" + all).find("\n" + begin);
    if (at == std::string::npos) return Concat("no line in ", all);
    return all.substr(at, all.find('\n', at) - at);
  }
  // The record of a property of /P in a dump, without the braces around it.
  std::string Property(const Args& options, std::string_view name) {
    const std::string prim = Line(options, R"({"record":"prim","path":"/P")");
    const size_t at = prim.find(Concat(R"({"name":")", name, "\""));
    if (at == std::string::npos) return Concat("no property in ", prim);
    const size_t next = prim.find(R"(},{"name":)", at);
    return prim.substr(at + 1, (next == std::string::npos ? prim.size() - 3 : next) - at - 1);
  }
};

TEST_F(DumpCommandTest, BeginsWithTheStage) {
  EXPECT_EQ(Line({}, R"({"record":"stage")"),
            R"({"record":"stage","defaultPrim":"/P","startTimeCode":0,"endTimeCode":0,)"
            R"("timeCodesPerSecond":24,"framesPerSecond":24,"layers":["root.usda","weak.usda"],)"
            R"("errors":["InvalidAssetPath"]})");
}

TEST_F(DumpCommandTest, PrimsHaveFieldsThatDifferFromTheUsualValue) {
  const std::string p = Line({}, R"({"record":"prim","path":"/P")");
  EXPECT_EQ(p.substr(0, p.find(R"(,"properties")")),
            R"({"record":"prim","path":"/P","specifier":"def","model":true,"kind":"component",)"
            R"("apiSchemas":["CollectionAPI:c"],"children":["I","J","Off","Later"],)"
            R"("variantSets":{"look":{"selection":"red","choices":["red"]}})");
  EXPECT_EQ(Line({}, R"({"record":"prim","path":"/P/J")"),
            R"({"record":"prim","path":"/P/J","specifier":"def","instance":true,)"
            R"("instanceable":true,"sharesWith":"/P/I"})");
  EXPECT_EQ(Line({}, R"({"record":"prim","path":"/P/Off")"),
            R"({"record":"prim","path":"/P/Off","specifier":"def","active":false,"loaded":false})");
  EXPECT_EQ(Line({"--load", "none"}, R"({"record":"prim","path":"/P/Later")"),
            R"({"record":"prim","path":"/P/Later","specifier":"def","loaded":false,)"
            R"("hasPayload":true})");
  EXPECT_EQ(Line({}, R"({"record":"prim","path":"/Over")"),
            R"({"record":"prim","path":"/Over","specifier":"over","defined":false})");
  EXPECT_EQ(Line({}, R"({"record":"prim","path":"/Source")"),
            R"({"record":"prim","path":"/Source","specifier":"class","abstract":true,)"
            R"("children":["Ball"]})");
}

TEST_F(DumpCommandTest, InstancesAreEnteredOnRequest) {
  EXPECT_EQ(Line({}, R"({"record":"prim","path":"/P/I/Ball")").substr(0, 7), "no line");
  const std::string ball = Line({"--instance-proxies"}, R"({"record":"prim","path":"/P/I/Ball")");
  EXPECT_NE(ball.find(R"("instanceProxy":true)"), std::string::npos) << ball;
}

TEST_F(DumpCommandTest, AttributesHaveValuesAtEachTime) {
  EXPECT_EQ(Property({"--times", "default,2"}, "x"),
            R"("name":"x","kind":"attribute","typeName":"double","custom":true,"authored":true,)"
            R"("source":"timeSamples","timeSamples":[1,3],"mightVary":true,)"
            R"("values":{"default":7,"2":20})");
  EXPECT_EQ(Property({"--times", "1,2"}, "none"),
            R"("name":"none","kind":"attribute","typeName":"double","authored":true,)"
            R"("blocked":true,"values":{"1":null,"2":null})");
  EXPECT_EQ(Property({}, "pipe"),
            R"("name":"pipe","kind":"attribute","typeName":"double","authored":true,)"
            R"("values":{"default":null},"connections":["/P.x"])");
  EXPECT_EQ(Property({}, "collection:c:mode"),
            R"("name":"collection:c:mode","kind":"attribute","typeName":"token",)"
            R"("variability":"uniform","metadata":{"allowedTokens":["automatic","relationship",)"
            R"("expression"]},"source":"fallback","values":{"default":"automatic"})");
}

TEST_F(DumpCommandTest, RelationshipsHaveTargets) {
  EXPECT_EQ(Property({}, "r"), R"("name":"r","kind":"relationship","authored":true,)"
                               R"("targets":["/P/I"],"forwardedTargets":["/P/I"])");
}

TEST_F(DumpCommandTest, StacksAreIncludedOnRequest) {
  const Args options = {"--stack", "--times", "1,2"};
  const std::string p = Line(options, R"({"record":"prim","path":"/P")");
  EXPECT_NE(p.find(R"("primStack":[{"layer":"root.usda","path":"/P"},)"
                   R"({"layer":"weak.usda","path":"/P"},)"
                   R"({"layer":"root.usda","path":"/P{look=red}"}])"),
            std::string::npos)
      << p;
  const std::string x = Property(options, "x");
  EXPECT_NE(x.find(R"("stack":{"1":[{"layer":"root.usda","path":"/P.x"},)"
                   R"({"layer":"weak.usda","path":"/P.x"}],"2":[{"layer":"root.usda",)"),
            std::string::npos)
      << x;
  EXPECT_EQ(Property({}, "x").find("stack"), std::string::npos);
  EXPECT_EQ(Property(options, "collection:c:mode").find("stack"), std::string::npos)
      << "no layer has an opinion";
}

TEST_F(DumpCommandTest, CollectionsAreIncludedOnRequest) {
  EXPECT_EQ(Line({"--collections"}, R"({"record":"collection")"),
            R"({"record":"collection","path":"/P.collection:c","mode":"rules",)"
            R"("members":["/P/Off"]})");
  EXPECT_EQ(Line({}, R"({"record":"collection")").substr(0, 7), "no line");
}

TEST_F(DumpCommandTest, GeometryIsIncludedOnRequestAtPlainTimes) {
  const Args options = {"--geom", "--instance-proxies", "--times", "default,pre:2"};
  EXPECT_EQ(Line(options, R"({"record":"geom","path":"/P/I/Ball")"),
            R"({"record":"geom","path":"/P/I/Ball","time":"default",)"
            R"("localToWorld":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[1,0,0,1]],"resetsXformStack":true,)"
            R"("visibility":"invisible","purpose":"render","worldBound":[[0,-1,-1],[2,1,1]],)"
            R"("primvars":{"w":{"typeName":"float[]","interpolation":"constant","elementSize":2,)"
            R"("value":[2,3]}}})");
  EXPECT_EQ(Line(options, R"({"record":"geom","path":"/P/I/Ball","time":"pre)").substr(0, 7),
            "no line");
  EXPECT_EQ(Line(options, R"({"record":"geom","path":"/Source/Ball")").substr(0, 7), "no line");
  EXPECT_EQ(Line({}, R"({"record":"geom")").substr(0, 7), "no line");
}

TEST_F(DumpCommandTest, SkinnedPointsAreIncludedOnRequest) {
  Write("root.usda", std::string(R"(def SkelRoot "C" (
    apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)") + kTwoJoints + R"(  def Mesh "M" (
    apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0)]
    int[] primvars:skel:jointIndices = [1] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
}
)");
  const std::string skin = Line({"--skin"}, R"({"record":"skin","path":"/C/M")");
  EXPECT_NE(skin.find(R"("skeleton":"/C/Skel","jointOrder":["a","a/b"],"rigid":false)"),
            std::string::npos)
      << skin;
  EXPECT_NE(skin.find(R"("points":[[)"), std::string::npos) << skin;
}

TEST_F(DumpCommandTest, AStageThatDoesNotOpenGivesAnErrorRecord) {
  std::string printed;
  const absl::Status status = Run(RunDump, {"dump", "/missing.usda"}, &printed);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(printed, "{\"record\":\"stage\",\"error\":true}\n");
  EXPECT_TRUE(IsUsageError(Run(RunDump, {"dump", "/root.usda", "--load", "some"}, &printed)));
  EXPECT_EQ(printed, "");
}

TEST_F(DumpCommandTest, LayersAreDumpedSpecBySpec) {
  const std::string layer = Printed(RunLayer, {"layer", "/weak.usda"});
  EXPECT_EQ(layer,
            "{\"record\":\"layer\",\"error\":false,\"metadata\":{}}\n"
            "{\"record\":\"spec\",\"path\":\"/P\",\"specType\":\"prim\","
            "\"fields\":{\"specifier\":\"def\"}}\n"
            "{\"record\":\"spec\",\"path\":\"/P.x\",\"specType\":\"attribute\","
            "\"fields\":{\"custom\":false,\"typeName\":\"double\",\"variability\":\"varying\","
            "\"default\":7}}\n");
  const std::string root = Printed(RunLayer, {"layer", "/root.usda"});
  for (const char* type : {"relationship", "variantSet", "variant"}) {
    EXPECT_NE(root.find(Concat("\"specType\":\"", type, "\"")), std::string::npos) << type;
  }
  std::string printed;
  EXPECT_FALSE(Run(RunLayer, {"layer", "/missing.usda"}, &printed).ok());
  EXPECT_EQ(printed, "{\"record\":\"layer\",\"error\":true}\n");
}

}  // namespace
}  // namespace stagedoor
