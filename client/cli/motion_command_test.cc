#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class MotionCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def Xform "Fan"
{
    double xformOp:translateX.timeSamples = { 0: 0, 1: 10, 2: 30 }
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    def Cube "Blade"
    {
        double xformOp:translateY.timeSamples = { 0.9: 0, 3: 1 }
        uniform token[] xformOpOrder = ["xformOp:translateY"]
    }
}
def Cube "Still" {}
)");
  }
};

TEST_F(MotionCommandTest, PrintsWhichAttributesHaveSamples) {
  EXPECT_EQ(Printed(RunMotion, {"motion", "/root.usda", "/Fan/Blade", "/Still", "--times=1"}),
            "/Fan/Blade at 1: 4 samples\n"
            "  0  /Fan.xformOp:translateX\n"
            "  0.9  /Fan/Blade.xformOp:translateY\n"
            "  1  /Fan.xformOp:translateX\n"
            "  2  /Fan.xformOp:translateX\n"
            "/Still at 1: 1 sample\n"
            "  1\n");
}

TEST_F(MotionCommandTest, OptionsSaySampleTimes) {
  const auto printed = [&](const Args& options) {
    Args args = {"motion", "/root.usda", "/Fan", "--times=1"};
    args.insert(args.end(), options.begin(), options.end());
    return Printed(RunMotion, args);
  };
  EXPECT_EQ(printed({"--shutter=0:0.5", "--segments=2"}),
            "/Fan at 1: 3 samples\n  1\n  1.25\n  1.5\n");
  EXPECT_EQ(printed({"--shutter=0:0.5", "--at-ends"}),
            "/Fan at 1: 2 samples\n  1  /Fan.xformOp:translateX\n  1.5\n");
  EXPECT_EQ(printed({"--max-samples=2"}),
            "/Fan at 1: 2 samples, without some that are authored\n"
            "  0  /Fan.xformOp:translateX\n  2  /Fan.xformOp:translateX\n");
}

TEST_F(MotionCommandTest, PrintsRecords) {
  const std::string json = Printed(
      RunMotion, {"motion", "/root.usda", "/Fan", "--times=0", "--shutter=0:0.5", "--format=json"});
  EXPECT_TRUE(
      json.starts_with("{\"path\":\"/Fan\",\"frame\":0,\"samples\":2,\"thinned\":false,\"time\":0,"
                       "\"source\":\"/Fan.xformOp:translateX\",\"local_to_world\":[[1,0,0,0],"))
      << json;
  EXPECT_NE(json.find("\"time\":1,"), std::string::npos) << json;
  EXPECT_NE(json.find("[10,0,0,1]]}"), std::string::npos) << json;
}

TEST_F(MotionCommandTest, ReportsWhatIsWrong) {
  const auto message = [&](const Args& options) {
    Args args = {"motion", "/root.usda", "/Fan"};
    args.insert(args.end(), options.begin(), options.end());
    return std::string(Failure(RunMotion, args).message());
  };
  EXPECT_EQ(message({}), "motion needs --times, around which the shutter opens");
  for (const char* shutter : {"0.5", "1:0", "a:b"}) {
    EXPECT_EQ(message({"--times=1", Concat("--shutter=", shutter)}),
              Concat("--shutter must be OPEN:CLOSE, such as -0.25:0.25, not '", shutter, "'"));
  }
  EXPECT_EQ(message({"--times=1", "--segments=x"}),
            "--segments must be a whole number from 0 to 4095, not 'x'");
  EXPECT_EQ(message({"--times=default"}),
            "a shutter cannot open at the time default; use numeric times with a sample_policy");
}

}  // namespace
}  // namespace stagedoor
