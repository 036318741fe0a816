#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class StatisticsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def Xform "A" (
  kind = "component"
  assetInfo = { string name = "a" }
) {
  def Mesh "m" {}
  over "o" {}
}
def "I" (
  instanceable = true
  references = </A>
) {}
)");
  }
};

TEST_F(StatisticsCommandTest, CountsThePrimsOfAStage) {
  EXPECT_EQ(Printed(RunStatistics, {"statistics", "/root.usda"}),
            "layers: 1\nmodels: 2\ninstanced models: 1\nassets: 1\nprototypes: 1\n"
            "prims: 4\n  active: 4\n  inactive: 0\n  pure overs: 1\n  instances: 1\n"
            "  payloads: 0\n  unloaded payloads: 0\n  (no type): 1\n  Mesh: 1\n  Xform: 2\n"
            "prims of prototypes: 2\n  active: 2\n  inactive: 0\n  pure overs: 0\n"
            "  instances: 0\n  payloads: 0\n  unloaded payloads: 0\n  (no type): 1\n  Mesh: 1\n");
}

TEST_F(StatisticsCommandTest, CountsSubtrees) {
  EXPECT_EQ(Printed(RunStatistics, {"statistics", "/root.usda", "/A/m", "/A/o", "--format=csv"}),
            "part,name,type,count\r\nstage,layers,,1\r\nstage,models,,0\r\n"
            "stage,instanced models,,0\r\nstage,assets,,0\r\nstage,prototypes,,0\r\n"
            "prims,total,,2\r\nprims,active,,2\r\nprims,inactive,,0\r\nprims,pure overs,,1\r\n"
            "prims,instances,,0\r\nprims,payloads,,0\r\nprims,unloaded payloads,,0\r\n"
            "prims,of type,,1\r\nprims,of type,Mesh,1\r\n");
  EXPECT_EQ(Failure(RunStatistics, {"statistics", "/root.usda", "/Nowhere"}).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
