#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class BoundsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def Xform "A"
{
    double3 xformOp:translate.timeSamples = { 1: (10, 0, 0), 2: (20, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "C" {}
    def Cube "Hidden"
    {
        double size = 8
        token visibility = "invisible"
    }
    def Cube "Guide"
    {
        double size = 6
        uniform token purpose = "guide"
    }
}
def PointInstancer "I"
{
    rel prototypes = </I/P>
    int[] protoIndices = [0, 0]
    point3f[] positions = [(1, 0, 0), (2, 0, 0)]
    def Cube "P" {}
}
)");
  }
  std::string Bounds(const Args& options) {
    Args args = {"bounds", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return Printed(RunBounds, args);
  }
};

TEST_F(BoundsCommandTest, PrintsBoundsAtTimes) {
  EXPECT_EQ(Bounds({"/A", "--times=1,2"}),
            "/A at 1: [[9,-1,-1],[11,1,1]]\n/A at 2: [[19,-1,-1],[21,1,1]]\n");
  EXPECT_EQ(Bounds({"/A/Guide", "--times=1"}), "/A/Guide at 1: empty\n");
}

TEST_F(BoundsCommandTest, TakesTheOptionsOfTheCall) {
  EXPECT_EQ(Bounds({"/A", "--times=1", "--space=untransformed"}),
            "/A at 1: [[-1,-1,-1],[1,1,1]]\n");
  EXPECT_EQ(Bounds({"/A/C", "--times=1", "--space=local"}), "/A/C at 1: [[-1,-1,-1],[1,1,1]]\n");
  EXPECT_EQ(Bounds({"/A/C", "--times=1", "--relative-to=/A"}), "/A/C at 1: [[-1,-1,-1],[1,1,1]]\n");
  EXPECT_EQ(Bounds({"/A", "--times=1", "--ignore-visibility"}), "/A at 1: [[6,-4,-4],[14,4,4]]\n");
  EXPECT_EQ(Bounds({"/A", "--times=1", "--purposes=guide,other"}),
            "/A at 1: [[7,-3,-3],[13,3,3]]\n");
  EXPECT_EQ(Bounds({"/I", "--times=1", "--instances=1,7"}),
            "/I[1] at 1: [[1,-1,-1],[3,1,1]]\n/I[7] at 1: empty\n");
}

TEST_F(BoundsCommandTest, PrintsRecords) {
  const std::string json = Bounds({"/A/C", "/A/Guide", "--times=1", "--format=json"});
  EXPECT_EQ(json,
            "{\"path\":\"/A/C\",\"time\":1,\"instance\":null,\"bounds\":[[9,-1,-1],[11,1,1]],"
            "\"box\":[[-1,-1,-1],[1,1,1]],"
            "\"box_matrix\":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[10,0,0,1]]}\n"
            "{\"path\":\"/A/Guide\",\"time\":1,\"instance\":null,\"bounds\":null,\"box\":null,"
            "\"box_matrix\":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[10,0,0,1]]}\n");
}

TEST_F(BoundsCommandTest, ReportsWhatIsWrong) {
  const auto message = [&](const Args& options) {
    Args args = {"bounds", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return std::string(Failure(RunBounds, args).message());
  };
  EXPECT_EQ(message({"/A", "--space=inner"}),
            "--space must be world, local or untransformed, not 'inner'");
  EXPECT_EQ(message({"/A", "--space=local", "--relative-to=/"}),
            "--relative-to and --space exclude each other");
  EXPECT_EQ(message({"/I", "--instances=1,"}), "--instances must be indices, not ''");
  EXPECT_EQ(message({"/A", "--instances=1"}), "'/A' is not a PointInstancer");
}

}  // namespace
}  // namespace stagedoor
