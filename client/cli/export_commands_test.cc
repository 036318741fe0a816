#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/status.h"
#include "client/cli/exit_status.h"
#include "client/cli/layer_export.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

class ExportCommandsTest : public CommandsTest {
 protected:
  void SetUp() override {
    folder_ = NewFolder();
    Write("lib/asset.usda", R"(( defaultPrim = "A" )
def "A" {
    asset near = @./gone.png@
    asset far = @gone.png@
}
)");
    Write("strong.usda", "over \"P\" { double y = 3; }\n");
    Write("root.usda", R"(( subLayers = [@./strong.usda@] )
def "P" ( references = @./lib/asset.usda@ )
{
    double y = 1
}
)");
    Write("clip.1.usda", "def \"C\" { double x.timeSamples = { 1: 10 }; }\n");
    Write("clip.2.usda", "def \"C\" { double x.timeSamples = { 2: 20 }; }\n");
  }
  std::string Out(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(ExportCommandsTest, ConvertChoosesTheFormatByTheExtension) {
  Printed(RunConvert, {"convert", "/strong.usda", Out("a.usda")});
  EXPECT_EQ(ContentOf(Out("a.usda")).substr(0, 9), "#usda 1.0");
  Printed(RunConvert, {"convert", "/strong.usda", Out("a.usd")});
  EXPECT_EQ(ContentOf(Out("a.usd")).substr(0, 8), "PXR-USDC");
  Printed(RunConvert, {"convert", "/strong.usda", Out("a.usdc")});
  EXPECT_EQ(ContentOf(Out("a.usdc")).substr(0, 8), "PXR-USDC");
  Printed(RunConvert, {"convert", "/strong.usda", Out("a.usdz")});
  EXPECT_EQ(ContentOf(Out("a.usdz")).substr(0, 2), "PK");
  EXPECT_TRUE(IsUsageError(Failure(RunConvert, {"convert", "/strong.usda", Out("a.foo")})));
  EXPECT_FALSE(fs::exists(Out("a.foo")));
}

TEST_F(ExportCommandsTest, FetchCopiesAnyAsset) {
  const std::string texture("\x89PNG\0\n", 6);
  ASSERT_TRUE(files_->Put("/wood.png", texture).ok());
  Printed(RunFetch, {"fetch", "/wood.png", Out("copy.png")});
  EXPECT_EQ(ContentOf(Out("copy.png")), texture);
  EXPECT_EQ(Printed(RunFetch, {"fetch", "/wood.png", "-"}), texture);
  EXPECT_EQ(Failure(RunFetch, {"fetch", "/none.png", Out("none.png")}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(fs::exists(Out("none.png")));
}

TEST_F(ExportCommandsTest, AFailureLeavesNoFile) {
  EXPECT_EQ(Failure(RunConvert, {"convert", "/missing.usda", Out("a.usda")}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ExportCommandsTest, ValidatePrintsLocationsAndFails) {
  EXPECT_EQ(Printed(RunValidate, {"validate", "/root.usda"}), "");
  Write("broken.usda", "def {\n");
  std::string printed;
  const absl::Status status = Run(RunValidate, {"validate", "/broken.usda"}, &printed);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Message(status), "/broken.usda is invalid: 1 error(s)");
  EXPECT_EQ(printed.substr(0, printed.find(": error: ")), "/broken.usda:2:5") << printed;
}

TEST_F(ExportCommandsTest, ValidateStageReportsWhatIsMissing) {
  Write("whole.usda", "def \"A\" {}\n");
  EXPECT_EQ(Printed(RunValidate, {"validate", "--stage", "/whole.usda"}), "");
  Write("gaps.usda", R"((
    subLayers = [@./whole.usda@]
)
def "B" (references = @./gone.usda@)
{
    asset texture = @./gone.png@
}
)");
  EXPECT_EQ(Printed(RunValidate, {"validate", "/gaps.usda"}), "") << "the layer itself is valid";
  std::string printed;
  const absl::Status status = Run(RunValidate, {"validate", "--stage", "/gaps.usda"}, &printed);
  EXPECT_EQ(ToExitStatus(status), kExitFailure) << status;
  EXPECT_EQ(Message(status), "stage '/gaps.usda' is incomplete: 1 error, 2 missing files");
  EXPECT_NE(printed.find("/gaps.usda </B>: error: InvalidAssetPath: "), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("/gaps.usda: missing: './gone.usda' does not exist\n"), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("/gaps.usda: missing: './gone.png' does not exist\n"), std::string::npos)
      << printed;
}

TEST_F(ExportCommandsTest, ValidateStageExaminesTheLayersOfTheStage) {
  Write("values.usda", "def \"P\" { double[] a = [1, 0.5]; }\n");
  Printed(RunConvert, {"convert", "/values.usda", Out("values.usdc")});
  std::string crate = ContentOf(Out("values.usdc"));
  // The length of the array, before its elements.
  const size_t half = crate.find(std::string("\0\0\0\0\0\0\xe0\x3f", 8));
  ASSERT_NE(half, std::string::npos);
  crate.replace(half - 16, 8, 8, '\xff');
  ASSERT_TRUE(files_->Put("/broken.usdc", crate).ok());
  Write("outer.usda", "(subLayers = [@./broken.usdc@])\n");
  std::string printed;
  const absl::Status status = Run(RunValidate, {"validate", "--stage", "/outer.usda"}, &printed);
  EXPECT_EQ(ToExitStatus(status), kExitBrokenFile) << status;
  EXPECT_EQ(Message(status), "layers of '/outer.usda' are invalid: 1 error");
  EXPECT_EQ(printed.substr(0, printed.find(" at ")), "/broken.usdc");
  EXPECT_NE(printed.find(" </P.a>: error: "), std::string::npos) << printed;
}

TEST_F(ExportCommandsTest, ValidateTakesTheFlagsOfStagesOnlyForStages) {
  const absl::Status status = Failure(RunValidate, {"validate", "/root.usda", "--load", "none"});
  EXPECT_TRUE(IsUsageError(status)) << status;
  EXPECT_EQ(Message(status), "validate takes --load only with --stage");
}

TEST_F(ExportCommandsTest, FlattenWritesTheStageOrItsLayerStack) {
  Printed(RunFlatten, {"flatten", "/root.usda", "-o", Out("flat.usda")});
  EXPECT_EQ(ContentOf(Out("flat.usda")).find("references"), std::string::npos);
  Printed(RunFlatten, {"flatten", "/root.usda", "-o", Out("stack.usda"), "--layer-stack"});
  EXPECT_NE(ContentOf(Out("stack.usda")).find("references"), std::string::npos);
  EXPECT_TRUE(IsUsageError(Failure(RunFlatten, {"flatten", "/root.usda"})));
}

TEST_F(ExportCommandsTest, StitchClipsPassesItsFlagsOn) {
  Printed(RunStitchClips, {"stitch-clips", "/clip.1.usda", "/clip.2.usda", "-o", Out("r.usda"),
                           "--clipPath", "/C", "--clipSet", "sim", "--startTimeCode", "1",
                           "--endTimeCode", "2", "--interpolateMissingClipValues"});
  const std::string result = ContentOf(Out("r.usda"));
  for (const char* part : {"dictionary sim = {", "startTimeCode = 1", "endTimeCode = 2",
                           "bool interpolateMissingClipValues = 1", "assetPaths"}) {
    EXPECT_NE(result.find(part), std::string::npos) << part << " in " << result;
  }
  EXPECT_TRUE(fs::exists(Out("r.topology.usda")));
  EXPECT_TRUE(fs::exists(Out("r.manifest.usda")));
}

TEST_F(ExportCommandsTest, StitchClipsMakesTemplates) {
  Printed(RunStitchClips,
          {"stitch-clips", "/clip.1.usda", "/clip.2.usda", "-o", Out("r.usda"), "--clipPath", "/C",
           "--startTimeCode", "1", "--endTimeCode", "3", "--templateMetadata", "--templatePath",
           "./clip.#.usda", "--stride", "2", "--activeOffset", "0.5"});
  const std::string result = ContentOf(Out("r.usda"));
  for (const char* part : {"templateAssetPath = \"./clip.#.usda\"", "templateStride = 2",
                           "templateActiveOffset = 0.5"}) {
    EXPECT_NE(result.find(part), std::string::npos) << part << " in " << result;
  }
  EXPECT_EQ(result.find("assetPaths"), std::string::npos) << result;
}

TEST_F(ExportCommandsTest, ClipManifestsAreMadeFromLayersOrAClipSet) {
  Printed(RunClipManifest,
          {"clip-manifest", "/clip.1.usda", "--clipPath", "/C", "-o", Out("m.usda")});
  EXPECT_NE(ContentOf(Out("m.usda")).find("double x"), std::string::npos);
  Write("set.usda", R"(def "P" (
    clips = { dictionary sim = {
        asset[] assetPaths = [@./clip.1.usda@, @./clip.2.usda@]
        double2[] active = [(1, 0), (2, 1)]
        string primPath = "/C"
    } }
) {}
)");
  Printed(RunClipManifest,
          {"clip-manifest", "/set.usda", "--prim", "/P", "--clipSet", "sim", "-o", Out("s.usda")});
  EXPECT_NE(ContentOf(Out("s.usda")).find("double x"), std::string::npos);
  EXPECT_TRUE(
      IsUsageError(Failure(RunClipManifest, {"clip-manifest", "/set.usda", "-o", Out("n.usda")})));
  EXPECT_TRUE(IsUsageError(Failure(RunClipManifest, {"clip-manifest", "/a.usda", "/b.usda",
                                                     "--prim", "/P", "-o", Out("n.usda")})));
}

TEST_F(ExportCommandsTest, DepsAnchorsMissingAssets) {
  EXPECT_EQ(Printed(RunDeps, {"deps", "/root.usda"}),
            "found\tlayer\t/strong.usda\t/root.usda\n"
            "found\tlayer\t/lib/asset.usda\t/root.usda\n"
            "missing\tasset\t/lib/gone.png\t/lib/asset.usda\t./gone.png\n"
            "missing\tasset\tgone.png\t/lib/asset.usda\tgone.png\n");
  std::string printed;
  const absl::Status strict = Run(RunDeps, {"deps", "/root.usda", "--strict"}, &printed);
  EXPECT_EQ(ToExitStatus(strict), kExitFailure) << strict;
  EXPECT_EQ(Message(strict), "'/root.usda' is incomplete: 2 missing files");
  EXPECT_EQ(printed, Printed(RunDeps, {"deps", "/root.usda"}));
  Printed(RunDeps, {"deps", "/strong.usda", "--strict"});
}

TEST_F(ExportCommandsTest, WhatADeviceHasGotIsNotWrittenAgain) {
  for (const char* const name : {"/dev/null", "file.usda"}) {
    Output output(-1);
    const std::string file = name[0] == '/' ? name : Out(name);
    auto target = ExportTarget::Open(file, output);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_FALSE(output.started());
    EXPECT_TRUE(target->Write("#usda 1.0\n").ok());
    EXPECT_EQ(output.started(), name[0] == '/') << file;
  }
}

TEST_F(ExportCommandsTest, LocalizeReportsWhatIsMissing) {
  const std::string missing =
      "missing\tasset\t/lib/gone.png\t/lib/asset.usda\t./gone.png\n"
      "missing\tasset\tgone.png\t/lib/asset.usda\tgone.png\n";
  EXPECT_EQ(Printed(RunLocalize, {"localize", "/root.usda", "-o", Out("copy")}), missing);
  EXPECT_EQ(Printed(RunLocalize, {"localize", "/strong.usda", "--strict", "-o", Out("all")}), "");
  std::string printed;
  const absl::Status strict =
      Run(RunLocalize, {"localize", "/root.usda", "--strict", "-o", Out("c.usdz")}, &printed);
  EXPECT_EQ(ToExitStatus(strict), kExitFailure) << strict;
  EXPECT_EQ(Message(strict), "'/root.usda' is incomplete: 2 missing files");
  EXPECT_EQ(printed, missing);
  EXPECT_EQ(ContentOf(Out("c.usdz")).substr(0, 2), "PK") << "it is written all the same";
}

TEST_F(ExportCommandsTest, LocalizeWritesADirectoryOrAPackage) {
  Printed(RunLocalize, {"localize", "/root.usda", "-o", Out("copy")});
  EXPECT_TRUE(fs::exists(folder_ / "copy" / "root.usda"));
  EXPECT_TRUE(fs::exists(folder_ / "copy" / "strong.usda"));
  Printed(RunLocalize, {"localize", "/root.usda", "-o", Out("copy.usdz")});
  EXPECT_EQ(ContentOf(Out("copy.usdz")).substr(0, 2), "PK");
  EXPECT_TRUE(IsUsageError(Failure(RunLocalize, {"localize", "/root.usda", "-o", "-"})));
}

}  // namespace
}  // namespace stagedoor
