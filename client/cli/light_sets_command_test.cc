#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class LightSetsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def Xform "A" {
  def Mesh "B" {}
}
def SphereLight "K" {
  rel collection:lightLink:excludes = </A/B>
}
def SphereLight "S" {
  rel collection:shadowLink:excludes = </A>
}
def LightFilter "F" {
  uniform bool collection:filterLink:includeRoot = false
  uniform pathExpression collection:filterLink:membershipExpression = "/A//"
}
)");
  }
};

TEST_F(LightSetsCommandTest, PrintsTheLightsOfPrims) {
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "/A/B"}),
            "/A: /K /S\n/A/B: /S\n");
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "--link=shadow"}), "/A: /K\n");
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A/B", "--light=/K"}),
            "/A/B: none\n");
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "--format=csv"}),
            "path,lights\r\n/A,\"[\"\"/K\"\",\"\"/S\"\"]\"\r\n");
}

TEST_F(LightSetsCommandTest, ExplainsTheLinksOfALight) {
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "/A/B", "--explain=/K"}),
            "/A: linked; includeRoot decides\n  / expandPrims: decides\n"
            "/A/B: not linked; a rule decides\n  /A/B exclude: decides\n"
            "  / expandPrims: a closer rule decides\n");
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "--explain=/S"}),
            "/A: linked; the default decides\n  / expandPrims: decides\n");
  EXPECT_EQ(
      Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "--explain=/F", "--link=filter"}),
      "/A: linked; the expression decides\n  /A//\n");
  EXPECT_EQ(Printed(RunLightSets, {"light-sets", "/root.usda", "/A", "--explain=/A/B"}),
            "/A: not linked; not a light of this kind\n");
  EXPECT_EQ(
      Printed(RunLightSets, {"light-sets", "/root.usda", "/A/B", "--explain=/K", "--format=json"}),
      "{\"path\":\"/A/B\",\"linked\":false,\"reason\":\"a rule decides\","
      "\"decided_at\":\"/A/B\",\"expression\":null,\"rules\":["
      "{\"path\":\"/A/B\",\"rule\":\"exclude\",\"outcome\":\"decides\"},"
      "{\"path\":\"/\",\"rule\":\"expandPrims\",\"outcome\":\"a closer rule decides\"}]}\n");
}

TEST_F(LightSetsCommandTest, FailsForWrongArguments) {
  EXPECT_EQ(Failure(RunLightSets, {"light-sets", "/root.usda", "/None"}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Failure(RunLightSets, {"light-sets", "/root.usda", "/A", "--explain=/None"}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Failure(RunLightSets, {"light-sets", "/root.usda", "/A", "--link=dark"}).message(),
            "--link must be light, shadow or filter, not 'dark'");
  EXPECT_EQ(Failure(RunLightSets, {"light-sets", "/root.usda", "/A", "--explain=/K", "--light=/K"})
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor
