#include <gtest/gtest.h>

#include <string>

#include "client/cli/exit_status.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class DiffCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("a.usda", R"(( upAxis = "Y" )
def Xform "World" ( kind = "group" )
{
    double x = 1
    double moving.timeSamples = { 1: 10, 3: 30 }
    rel r = </World>
    def Cube "Old"
    {
        def "Below" {}
    }
    def Sphere "Same" {}
}
)");
    Write("b.usda", R"(( upAxis = "Z" )
def Xform "World" ( kind = "assembly" )
{
    double x = 2
    double moving.timeSamples = { 1: 10, 3: 50 }
    rel r = </World/Same>
    string added = "s"
    def Sphere "Same" {}
    def Mesh "New" {}
}
)");
    // Composes to what a.usda is.
    Write("base.usda", R"(def Xform "W" ( kind = "group" )
{
    double x = 7
    double moving.timeSamples = { 1: 10, 3: 30 }
    rel r = </W>
    def Sphere "Same" {}
    def Cube "Old"
    {
        def "Below" {}
    }
}
)");
    Write("composed.usda", R"(( upAxis = "Y" )
def "World" ( references = @./base.usda@</W> ) { double x = 1; }
)");
  }
  // The output of a comparison that finds differences.
  std::string Diff(Args args) {
    args.insert(args.begin(), "diff");
    std::string printed;
    const absl::Status status = Run(RunDiff, args, &printed);
    EXPECT_TRUE(IsDifference(status)) << status;
    EXPECT_EQ(ToDiffExitStatus(status), 1);
    return printed;
  }
};

TEST_F(DiffCommandTest, ComposedStages) {
  EXPECT_EQ(Diff({"/a.usda", "/b.usda"}),
            "--- /a.usda\n"
            "+++ /b.usda\n"
            "- /World/Old (Cube)  # /a.usda\n"
            "- / upAxis: Y\n"
            "+ / upAxis: Z\n"
            "- /World kind: group  # /a.usda\n"
            "+ /World kind: assembly  # /b.usda\n"
            "- /World.r targets: [\"/World\"]  # /a.usda\n"
            "+ /World.r targets: [\"/World/Same\"]  # /b.usda\n"
            "- /World.x at default: 1  # /a.usda\n"
            "+ /World.x at default: 2  # /b.usda\n"
            "+ /World.added declaration: string  # /b.usda\n"
            "+ /World.added at default: \"s\"  # /b.usda\n"
            "+ /World/New (Mesh)  # /b.usda\n");
}

TEST_F(DiffCommandTest, TheLayerOfAValueIsThatOfTheOpinionThatDecides) {
  Write("anim.usda",
        "over \"S\" ( kind = \"group\" ) { double radius.timeSamples = { 1: 5, 3: 7 }; }\n");
  Write("note.usda", "over \"S\" { double radius ( doc = \"a note\" ); }\n");
  Write("model.usda", "def Sphere \"S\" { double radius = 2; }\n");
  Write("left.usda", "(subLayers = [@./note.usda@, @./anim.usda@, @./model.usda@])\n");
  Write("right.usda", "(subLayers = [@./model.usda@])\n");
  Write("bare.usda", "def Sphere \"S\" {}\n");
  const std::string text = Diff({"/left.usda", "/right.usda", "--times=default,2"});
  EXPECT_NE(text.find("- /S.radius at 2: 6  # /anim.usda\n+ /S.radius at 2: 2  # /model.usda\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("at default"), std::string::npos) << text;
  EXPECT_NE(text.find("- /S kind: group  # one of /note.usda, /anim.usda, /model.usda\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  # one of /note.usda, /anim.usda, /model.usda\n"), std::string::npos);
  EXPECT_NE(Diff({"/bare.usda", "/right.usda"})
                .find("- /S.radius at default: 1  # the schema\n"
                      "+ /S.radius at default: 2  # /model.usda\n"),
            std::string::npos);
}

TEST_F(DiffCommandTest, EqualCompositionsOfOtherLayersAreEqual) {
  EXPECT_EQ(Printed(RunDiff, {"diff", "/a.usda", "/composed.usda", "--times=default,1:3"}), "");
  EXPECT_EQ(Printed(RunDiff, {"diff", "/a.usda", "/a.usda"}), "");
}

TEST_F(DiffCommandTest, ValuesAreComparedAtTheTimes) {
  const std::string text = Diff({"/a.usda", "/b.usda", "--times", "1,2", "--mask=/World/Same"});
  EXPECT_NE(text.find("- /World.moving at 2: 20  # /a.usda\n+ /World.moving at 2: 30  # /b.usda\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("moving at 1"), std::string::npos) << text;
}

TEST_F(DiffCommandTest, OtherTypesDoNotListTheirBuiltins) {
  Write("cube.usda", "def Cube \"P\" {}\n");
  Write("sphere.usda", "def Sphere \"P\" {}\n");
  EXPECT_EQ(Diff({"/cube.usda", "/sphere.usda"}),
            "--- /cube.usda\n+++ /sphere.usda\n"
            "- /P type: Cube  # /cube.usda\n+ /P type: Sphere  # /sphere.usda\n");
}

TEST_F(DiffCommandTest, BlockedAndMissingValuesDiffer) {
  Write("blocked.usda", "def \"P\" { double x = None; }\n");
  Write("unset.usda", "def \"P\" { double x; }\n");
  EXPECT_NE(Diff({"/blocked.usda", "/unset.usda"})
                .find("- /P.x at default: blocked  # /blocked.usda\n"
                      "+ /P.x at default: none  # /unset.usda\n"),
            std::string::npos);
}

TEST_F(DiffCommandTest, Layers) {
  const std::string text = Diff({"--uncomposed", "/a.usda", "/b.usda"});
  EXPECT_NE(text.find("- /World/Old (prim)\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Below"), std::string::npos) << text;
  EXPECT_NE(text.find("+ /World.added (attribute)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("+ /World.added default: \"s\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("- /World.x default: 1\n+ /World.x default: 2\n"), std::string::npos) << text;
  EXPECT_EQ(Printed(RunDiff, {"diff", "--uncomposed", "/a.usda", "/a.usda"}), "");
}

TEST_F(DiffCommandTest, ColoursAreWrittenOnlyIfWanted) {
  const std::string text = Diff({"/a.usda", "/b.usda", "--color=always"});
  EXPECT_NE(text.find("\x1b[31m- /World kind: group  # /a.usda\x1b[0m\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\x1b[32m+ /World kind: assembly  # /b.usda\x1b[0m\n"), std::string::npos)
      << text;
  EXPECT_EQ(Diff({"/a.usda", "/b.usda"}).find('\x1b'), std::string::npos);
}

TEST_F(DiffCommandTest, FailuresAreNotDifferences) {
  const absl::Status missing = Failure(RunDiff, {"diff", "/a.usda", "/none.usda"});
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ToDiffExitStatus(missing), 2);
  for (const Args& flags : {Args{"--uncomposed", "--times=1"}, Args{"--uncomposed", "--mask=/P"},
                            Args{"--color=red"}, Args{"--times=x"}}) {
    Args args = {"diff", "/a.usda", "/b.usda"};
    args.insert(args.end(), flags.begin(), flags.end());
    EXPECT_TRUE(IsUsageError(Failure(RunDiff, args))) << flags[0];
  }
}

}  // namespace
}  // namespace stagedoor
