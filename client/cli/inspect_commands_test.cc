#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "client/cli/exit_status.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class InspectCommandsTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"((
    defaultPrim = "World"
    endTimeCode = 48
    startTimeCode = 1
    timeCodesPerSecond = 24
)
def Xform "World" (kind = "group")
{
    double x = 1
    rel r = </World>
    def "Inst" (
        instanceable = true
        references = </Source>
    ) {}
    def "Off" (active = false) {}
    over "Ghost" {}
    def "Later" (payload = </Source>) {}
}
class "Source" {
    def Sphere "Ball" {}
}
def "Broken" (references = @./missing.usda@) {}
)");
  }
};

TEST_F(InspectCommandsTest, OpenPrintsMetadataLayersAndErrors) {
  const std::string text = Printed(RunOpen, {"open", "/root.usda"});
  EXPECT_EQ(text.substr(0, text.find("error: ")),
            "root: /root.usda\n"
            "defaultPrim: /World\n"
            "startTimeCode: 1\n"
            "endTimeCode: 48\n"
            "timeCodesPerSecond: 24\n"
            "framesPerSecond: 24\n"
            "layer: /root.usda\n");
  EXPECT_NE(text.find("error: InvalidAssetPath at </Broken>: "), std::string::npos) << text;
  Write("session.usda", "over \"World\" {}\n");
  EXPECT_NE(Printed(RunOpen, {"open", "/root.usda", "--session", "/session.usda"})
                .find("session: /session.usda\n"),
            std::string::npos);
}

TEST_F(InspectCommandsTest, StrictOpenFailsOnCompositionErrors) {
  std::string printed;
  const absl::Status status = Run(RunOpen, {"open", "/root.usda", "--strict"}, &printed);
  EXPECT_EQ(ToExitStatus(status), kExitFailure) << status;
  EXPECT_EQ(Message(status), "stage '/root.usda' is incomplete: 1 error");
  EXPECT_EQ(printed, Printed(RunOpen, {"open", "/root.usda"}));
  Write("whole.usda", "def \"A\" {}\n");
  Printed(RunOpen, {"open", "/whole.usda", "--strict"});
}

TEST_F(InspectCommandsTest, LsPrintsChildrenThenProperties) {
  EXPECT_EQ(Printed(RunLs, {"ls", "/root.usda"}), "World/\nSource/\nBroken/\n");
  const std::string world = Printed(RunLs, {"ls", "/root.usda", "/World"});
  EXPECT_EQ(world.substr(0, world.find("rel ")), "Inst/\nOff/\nGhost/\nLater/\n") << world;
  EXPECT_NE(world.find("\ndouble x\n"), std::string::npos) << world;
  EXPECT_NE(world.find("\nrel r\n"), std::string::npos) << world;
  EXPECT_EQ(Printed(RunLs, {"ls", "/root.usda", "/World/Inst"}), "Ball/\n")
      << "it enters instances";
  EXPECT_EQ(Failure(RunLs, {"ls", "/root.usda", "/Nobody"}).code(), absl::StatusCode::kNotFound);
}

TEST_F(InspectCommandsTest, TreeIndentsPrimsAndShowsTheirFlags) {
  EXPECT_EQ(Printed(RunTree, {"tree", "/root.usda", "--load", "none"}),
            "World [Xform] group\n"
            "  Inst instance\n"
            "  Off inactive unloaded\n"
            "  Ghost over\n"
            "  Later unloaded\n"
            "Source class\n"
            "  Ball [Sphere] class\n"
            "Broken\n");
  EXPECT_EQ(Printed(RunTree, {"tree", "/root.usda", "/World/Inst", "--instance-proxies"}),
            "Inst instance\n  Ball [Sphere]\n");
  EXPECT_EQ(Printed(RunTree, {"tree", "/root.usda", "/World", "--depth", "1"}),
            "World [Xform] group\n"
            "  Inst instance\n"
            "  Off inactive unloaded\n"
            "  Ghost over\n"
            "  Later\n")
      << "levels below the prim";
  EXPECT_TRUE(IsUsageError(Failure(RunTree, {"tree", "/root.usda", "--depth", "-1"})));
}

TEST_F(InspectCommandsTest, StagesPrintsLeasesOnAllPages) {
  EXPECT_EQ(Printed(RunStages, {"stages"}), "");
  server::ServerOptions options;
  options.limits.max_page_size = 1;
  Start(options);
  Write("other.usda", "def \"O\" {}\n");
  Open();
  Open();
  v1::OpenStageRequest other;
  other.set_root_layer("/other.usda");
  Open(other);
  EXPECT_EQ(Printed(RunStages, {"stages"}), "/root.usda\t2 leases\n/other.usda\t1 leases\n");
}

TEST_F(InspectCommandsTest, StatsPrintsEachCacheAndItsBudget) {
  server::ServerOptions options;
  options.clip_cache_bytes = 1000;
  options.clip_cache_files = 7;
  Start(options);
  Open();
  const std::string text = Printed(RunStats, {"stats"});
  EXPECT_EQ(text.substr(0, 20), "stages 1, leases 1, ") << text;
  EXPECT_NE(text.find("\nclips: 0 of 7 entries, 0 of 1000 bytes, 0 hits, "), std::string::npos)
      << text;
  EXPECT_NE(text.find(", 0 open files, 0 pinned, 0 prefetches, 0 missing\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nlayers: 1 entries, "), std::string::npos) << text;
}

TEST_F(InspectCommandsTest, StatsListsClipLayers) {
  Write("clip.usda", "def \"P\" { double x.timeSamples = { 1: 1 }; }\n");
  Write("clips.usda", R"(def "P" (
    clips = { dictionary default = {
        asset[] assetPaths = [@./clip.usda@, @./gone.usda@]
        double2[] active = [(1, 0), (2, 1)]
        string primPath = "/P"
    } }
) {
    double x
}
)");
  Printed(RunGet, {"get", "/clips.usda", "/P.x", "--times", "1,2"});
  const std::string text = Printed(RunStats, {"stats", "--layers"});
  EXPECT_NE(text.find("\n/clip.usda: "), std::string::npos) << text;
  EXPECT_NE(text.find("\n/gone.usda: 0 bytes, 0 opens, 0 hits, missing\n"), std::string::npos)
      << text;
  EXPECT_EQ(Printed(RunStats, {"stats"}).find("/clip.usda"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor
