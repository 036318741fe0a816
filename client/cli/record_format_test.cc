// Tests the output of the commands with --format.
#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class RecordFormatTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def Xform "P" ( kind = "group" )
{
    double x.timeSamples = { 1: 10, 3: 30 }
    string s = "a,b"
    string gone = None
    asset a = @./none.png@
    over "Ghost" {}
}
)");
  }
};

TEST_F(RecordFormatTest, Tree) {
  EXPECT_EQ(Printed(RunTree, {"tree", "/root.usda", "--format=table"}),
            "path      type   kind   flags\n"
            "/P        Xform  group\n"
            "/P/Ghost                over\n");
  EXPECT_EQ(Printed(RunTree, {"tree", "/root.usda", "--format=json"}),
            "{\"path\":\"/P\",\"type\":\"Xform\",\"kind\":\"group\",\"flags\":null}\n"
            "{\"path\":\"/P/Ghost\",\"type\":null,\"kind\":null,\"flags\":\"over\"}\n");
}

TEST_F(RecordFormatTest, Get) {
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.x", "--times=2,default", "--format=json"}),
            "{\"path\":\"/P.x\",\"time\":2,\"state\":\"value\",\"value\":20}\n"
            "{\"path\":\"/P.x\",\"time\":\"default\",\"state\":\"none\",\"value\":null}\n");
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.s", "--format=csv"}),
            "path,time,state,value\r\n/P.s,default,value,\"\"\"a,b\"\"\"\r\n");
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.gone", "--format=table"}),
            "path        time  state    value\n/P.gone  default  blocked\n");
}

TEST_F(RecordFormatTest, Samples) {
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--format=csv"}),
            "path,time\r\n/P.x,1\r\n/P.x,3\r\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--values", "--interval=0:2",
                                 "--interval=3:3", "--format=csv"}),
            "path,interval,time,pre,state,value\r\n"
            "/P.x,0:2,1,false,value,10\r\n"
            "/P.x,0:2,3,false,value,30\r\n"
            "/P.x,3:3,3,false,value,30\r\n");
}

TEST_F(RecordFormatTest, Explain) {
  EXPECT_EQ(Printed(RunExplain, {"explain", "/root.usda", "/P.x", "--time=2", "--format=json"}),
            "{\"path\":\"/P.x\",\"time\":2,\"source\":\"time samples\",\"layer\":\"/root.usda\","
            "\"spec\":\"/P.x\",\"arc\":\"root\",\"layer_time\":2,\"lower_sample\":1,"
            "\"upper_sample\":3,\"interpolated\":true,\"notes\":[\"source: time samples\","
            "\"stage time 2 is time 2 in the answering layer (offset 0, scale 1)\"],"
            "\"opinions\":[\"/root.usda </P.x> by root: 20 (time "
            "samples)\"],\"state\":\"value\",\"value\":20}\n");
}

TEST_F(RecordFormatTest, DepsAndValidate) {
  EXPECT_EQ(Printed(RunDeps, {"deps", "/root.usda", "--format=csv"}),
            "state,kind,path,layer,authored\r\n"
            "missing,asset,/none.png,/root.usda,./none.png\r\n");
  Write("broken.usda", "def {\n");
  std::string printed;
  EXPECT_FALSE(Run(RunValidate, {"validate", "/broken.usda", "--format=csv"}, &printed).ok());
  EXPECT_EQ(printed.find("severity,file,line,column,offset,path,message\r\n"
                         "error,/broken.usda,2,5,,,"),
            0u)
      << printed;
}

TEST_F(RecordFormatTest, StagesAndStats) {
  const v1::StageRef stage = Open();
  const std::string stages = Printed(RunStages, {"stages", "--format=table"});
  EXPECT_EQ(stages, "root_layer  session_layer  leases\n/root.usda                      1\n");
  const std::string stats = Printed(RunStats, {"stats", "--format=csv"});
  EXPECT_EQ(stats.find("cache,entries,budget_entries,bytes,budget_bytes,hits,misses,evictions,"
                       "opens,failures\r\n"),
            0u)
      << stats;
  EXPECT_NE(stats.find("\r\nlayers,1,"), std::string::npos) << stats;
  EXPECT_EQ(Printed(RunStats, {"stats", "--layers", "--format=csv"}),
            "layer,bytes,opens,hits,failures,pinned,missing\r\n");
}

}  // namespace
}  // namespace stagedoor
