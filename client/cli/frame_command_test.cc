#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "client/cli/frame_columns.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

class FrameCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"((
    upAxis = "Y"
)
def Xform "World"
{
    double xformOp:translateX.timeSamples = { 0: 0, 1: 10, 2: 20 }
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    def Mesh "Moving" ( prepend apiSchemas = ["MaterialBindingAPI"] )
    {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        rel material:binding = </Red>
    }
}
def Cube "Still"
{
    token visibility = "invisible"
    uniform token purpose = "render"
}
def Material "Red" {}
def SphereLight "Light" {}
def Camera "Cam" {}
)");
  }
  std::string PrintedFrame(const Args& options) {
    Args args = {"frame", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return Printed(RunFrame, args);
  }
  std::string Message(const Args& options) {
    Args args = {"frame", "/root.usda"};
    args.insert(args.end(), options.begin(), options.end());
    return std::string(Failure(RunFrame, args).message());
  }
};

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(FrameCommandTest, PrintsASummaryAndThePrims) {
  const std::string printed = PrintedFrame({"--time=1", "--shutter=-0.5:0.5", "--camera=/Cam"});
  EXPECT_TRUE(printed.starts_with("Frame 1 of /root.usda, shutter 0.5 to 1.5\n")) << printed;
  for (const char* line : {
           "  camera: /Cam\n",
           "  prims: 2 (1 Cube, 1 Mesh)\n",
           "  objects: 1 material, 1 light, 1 light set, 0 subsets, geometry of 2\n",
           "path           type  purpose  visible  samples  points  instances  material\n",
           "/World/Moving  Mesh  default  true           3       3             /Red\n",
           "/Still         Cube  render   false          1\n",
       }) {
    EXPECT_NE(printed.find(line), std::string::npos) << line << " is not in\n" << printed;
  }
}

TEST_F(FrameCommandTest, SelectsPrims) {
  const auto paths = [&](const Args& options) {
    Args args = options;
    args.push_back("--format=csv");
    const std::string printed = PrintedFrame(args);
    return Concat(printed.find("\n/World/Moving,") != printed.npos ? "moving " : "",
                  printed.find("\n/Still,") != printed.npos ? "still" : "");
  };
  EXPECT_EQ(paths({}), "moving still");
  EXPECT_EQ(paths({"--root=/World"}), "moving ");
  EXPECT_EQ(paths({"--exclude=/World"}), "still");
  EXPECT_EQ(paths({"--type=Mesh"}), "moving ");
  EXPECT_EQ(paths({"--purposes=render"}), "still");
  EXPECT_EQ(paths({"--purposes=default,render"}), "moving still");
  EXPECT_EQ(paths({"--without-invisible"}), "moving ");
}

TEST_F(FrameCommandTest, PrintsObjectsAsJson) {
  const std::string printed = PrintedFrame({"--time=1", "--json"});
  EXPECT_TRUE(printed.starts_with(R"({"object":"frame","snapshot":")")) << printed;
  for (const char* object : {"frame", "material", "light", "light_set", "token"}) {
    EXPECT_EQ(Count(printed, Concat("{\"object\":\"", object, "\"")), 1u) << object << printed;
  }
  EXPECT_EQ(Count(printed, R"({"object":"prim")"), 2u) << printed;
  EXPECT_EQ(Count(printed, R"({"object":"geometry")"), 2u) << printed;
  EXPECT_EQ(Count(printed, R"({"object":"transform")"), 3u) << printed;
  EXPECT_NE(printed.find(R"("matrices":[[[1,0,0,0],[0,1,0,0],[0,0,1,0],[10,0,0,1]]])"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find(R"("name":"points","type":"point3f[]")"), std::string::npos) << printed;
  EXPECT_NE(printed.find(R"("values":[[[0,0,0],[1,0,0],[0,1,0]]])"), std::string::npos) << printed;
}

TEST_F(FrameCommandTest, TheFingerprintChangesWithWhatMoves) {
  const std::string still = PrintedFrame({"--root=/Still", "--time=1", "--fingerprint"});
  EXPECT_EQ(still.size(), 65u) << "64 digits and the end of the line";
  EXPECT_EQ(still.find_first_not_of("0123456789abcdef\n"), std::string::npos) << still;
  EXPECT_EQ(PrintedFrame({"--root=/Still", "--time=2", "--fingerprint"}), still);
  EXPECT_NE(PrintedFrame({"--time=1", "--fingerprint"}),
            PrintedFrame({"--time=2", "--fingerprint"}));
}

TEST_F(FrameCommandTest, PrintsWhatHasChangedSinceAnotherFrame) {
  const std::string token = (NewFolder() / "token").string();
  PrintedFrame({"--time=1", "--write-token", token});
  EXPECT_EQ(ContentOf(token).find_first_not_of("0123456789abcdef\n"), std::string::npos);
  const std::string changed = PrintedFrame({"--time=2", "--since", token});
  EXPECT_NE(changed.find("  prims: 0\n"), std::string::npos) << changed;
  EXPECT_NE(changed.find("  changes: 1 transform, visibility of 0, 0 objects removed\n"),
            std::string::npos)
      << changed;
  EXPECT_EQ(Count(PrintedFrame({"--time=2", "--since", token, "--json"}), "\"matrices\""), 1u);
}

TEST_F(FrameCommandTest, WritesTheFrameAsALayer) {
  const fs::path folder = NewFolder();
  PrintedFrame({"--time=1", "-o", (folder / "frame.usdc").string()});
  EXPECT_EQ(ContentOf(folder / "frame.usdc").substr(0, 8), "PXR-USDC");
  const std::string text = PrintedFrame({"--time=1", "--camera=/Cam", "-o", "-"});
  EXPECT_TRUE(text.starts_with("#usda 1.0")) << text;
  EXPECT_NE(text.find("def Mesh \"Moving\""), std::string::npos) << text;
  EXPECT_NE(text.find("def Camera \"Cam\""), std::string::npos) << text;
}

TEST_F(FrameCommandTest, AFailureLeavesNoFile) {
  const fs::path folder = NewFolder();
  const fs::path file = folder / "frame.usdc";
  EXPECT_FALSE(
      Failure(RunFrame, {"frame", "/root.usda", "--camera=/None", "-o", file.string()}).ok());
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FrameCommandTest, ReportsWhatIsWrong) {
  EXPECT_EQ(Message({"--segments=2"}), "--segments needs --shutter OPEN:CLOSE");
  EXPECT_EQ(Message({"--at-ends"}), "--at-ends needs --shutter OPEN:CLOSE");
  EXPECT_EQ(Message({"--purposes=default,blue"}),
            "--purposes must be default, render, proxy or guide, not 'blue'");
  EXPECT_EQ(Message({"-o", "x.usdc", "--fingerprint"}), "-o and --fingerprint exclude each other");
  EXPECT_EQ(Message({"-o", "x.usdc", "--json"}), "-o and --json exclude each other");
  EXPECT_EQ(Message({"--fingerprint", "--format=csv"}),
            "--fingerprint and --format exclude each other");
  EXPECT_EQ(Message({"--json", "--format=csv"}), "--json and --format exclude each other");
  EXPECT_EQ(Message({"--arrays=full"}), "--arrays needs --json");
  const fs::path file = NewFolder() / "token";
  EXPECT_EQ(Message({"--since", file.string()}),
            Concat("cannot read the token of a frame from '", file.string(), "'"));
}

TEST(FrameColumnsTest, RefusesColumnsThatDoNotFitTogether) {
  v1::ExtractFrameResponse message;
  EXPECT_TRUE(CheckFrameColumns(message).ok());
  message.mutable_visibility()->add_ids(1);
  EXPECT_EQ(CheckFrameColumns(message).code(), absl::StatusCode::kDataLoss);
  message.mutable_visibility()->set_visible("\1");
  EXPECT_TRUE(CheckFrameColumns(message).ok());
  message.mutable_prims()->add_ids(1);
  EXPECT_FALSE(CheckFrameColumns(message).ok());
  message.clear_prims();
  message.add_path_errors()->set_item(0);
  EXPECT_FALSE(CheckFrameColumns(message).ok()) << "the error has no path";
  message.add_error_paths("/A");
  EXPECT_TRUE(CheckFrameColumns(message).ok());
  message.mutable_transforms()->add_ids(1);
  message.mutable_transforms()->add_counts(1);
  EXPECT_FALSE(CheckFrameColumns(message).ok()) << "there is no matrix";
}

TEST(FrameColumnsTest, IdsAreHexadecimal) {
  EXPECT_EQ(FrameIdText(0), "");
  EXPECT_EQ(FrameIdText(1), "0000000000000001");
  EXPECT_EQ(FrameIdText(0xfedcba9876543210), "fedcba9876543210");
}

}  // namespace
}  // namespace stagedoor
