#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class LabelsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def "A" (
    prepend apiSchemas = ["SemanticsLabelsAPI:kind", "SemanticsLabelsAPI:color"]
)
{
    token[] semantics:labels:kind.timeSamples = { 1: ["toy", "ball"], 3: ["egg"] }
    token[] semantics:labels:color = ["red"]
    def "B" (
        prepend apiSchemas = ["SemanticsLabelsAPI:color"]
    )
    {
        token[] semantics:labels:color = ["blue"]
    }
}
def "Bare" {}
)");
  }
  std::string Labels(const Args& options) {
    Args args = {"labels", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return Printed(RunLabels, args);
  }
};

TEST_F(LabelsCommandTest, PrintsLabelsWithInheritedOnes) {
  EXPECT_EQ(Labels({"/A", "/A/B", "/Bare", "--times=1"}),
            "/A  color: red\n"
            "/A  kind: ball, toy\n"
            "/A/B  color: blue (with inherited ones: blue, red)\n"
            "/A/B  kind: (with inherited ones: ball, toy)\n");
  EXPECT_EQ(Labels({"/A", "--times=1,3", "--taxonomy=kind"}),
            "/A at 1  kind: ball, toy\n/A at 3  kind: egg\n");
  EXPECT_EQ(Labels({"/A", "--interval=1:3", "--taxonomy=kind"}), "/A  kind: ball, egg, toy\n");
  EXPECT_EQ(Labels({"/A"}), "/A  color: red\n/A  kind:\n");
}

TEST_F(LabelsCommandTest, PrintsRecords) {
  EXPECT_EQ(Labels({"/A/B", "--times=1", "--taxonomy=color", "--format=json"}),
            "{\"path\":\"/A/B\",\"time\":1,\"taxonomy\":\"color\",\"direct\":[\"blue\"],"
            "\"inherited\":[\"blue\",\"red\"]}\n");
}

TEST_F(LabelsCommandTest, ReportsWhatIsWrong) {
  const auto message = [&](const Args& options) {
    Args args = {"labels", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return std::string(Failure(RunLabels, args).message());
  };
  EXPECT_EQ(message({"/A", "--times=1", "--interval=1:3"}),
            "--interval and --times exclude each other");
  EXPECT_NE(message({"/None"}).find("/None"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor
