#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

class CatCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("lib.usda", "def \"A\" { double fromLib = 1; }\n");
    Write("sub.usda", "over \"P\" { double fromSub = 2; }\n");
    Write("root.usda", R"(( subLayers = [@./sub.usda@] )
def "P" ( references = @./lib.usda@</A> )
{
    def "Kept" {}
    def "Masked" {}
}
)");
    Write("broken.usda", "def {\n");
  }
  static bool Has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(CatCommandTest, PrintsTheComposedStage) {
  const std::string text = Printed(RunCat, {"cat", "/root.usda"});
  EXPECT_EQ(text.substr(0, 10), "#usda 1.0\n");
  EXPECT_TRUE(Has(text, "double fromLib = 1")) << text;
  EXPECT_TRUE(Has(text, "double fromSub = 2")) << text;
  EXPECT_FALSE(Has(text, "references")) << text;
  EXPECT_EQ(Printed(RunCat, {"cat", "/root.usda", "-f"}), text) << "usdcat's flag";
  EXPECT_EQ(Printed(RunCat, {"cat", "/root.usda", "/root.usda"}), text + text);
}

TEST_F(CatCommandTest, PrintsTheLayerStackOrTheLayerItself) {
  const std::string stack = Printed(RunCat, {"cat", "/root.usda", "--layer-stack"});
  EXPECT_TRUE(Has(stack, "double fromSub = 2")) << stack;
  EXPECT_TRUE(Has(stack, "references")) << stack;
  const std::string layer = Printed(RunCat, {"cat", "/root.usda", "--uncomposed"});
  EXPECT_TRUE(Has(layer, "subLayers")) << layer;
  EXPECT_FALSE(Has(layer, "fromSub")) << layer;
  EXPECT_FALSE(Has(layer, "fromLib")) << layer;
}

TEST_F(CatCommandTest, ComposesOnlyTheMask) {
  const std::string text = Printed(RunCat, {"cat", "/root.usda", "--mask=/P/Kept"});
  EXPECT_TRUE(Has(text, "\"Kept\"")) << text;
  EXPECT_FALSE(Has(text, "\"Masked\"")) << text;
}

TEST_F(CatCommandTest, WritesAFileInTheWantedFormat) {
  const fs::path folder = NewFolder();
  const std::string file = (folder / "out.usd").string();
  EXPECT_EQ(Printed(RunCat, {"cat", "/root.usda", "-o", file}), "");
  EXPECT_EQ(ContentOf(file).substr(0, 8), "PXR-USDC");
  Printed(RunCat, {"cat", "/root.usda", "-o", file, "--usdFormat", "usda"});
  EXPECT_EQ(ContentOf(file).substr(0, 9), "#usda 1.0");
  EXPECT_EQ(Message(Failure(RunCat, {"cat", "/root.usda", "--usdFormat=usdc"})),
            "--usdFormat is for a FILE with the extension .usd, not for standard output");
  EXPECT_EQ(Message(Failure(RunCat, {"cat", "/root.usda", "-o", file, "--usdFormat=usdz"})),
            "--usdFormat must be usda or usdc, not 'usdz'");
  EXPECT_EQ(Message(Failure(RunCat, {"cat", "/a.usda", "/b.usda", "-o", file})),
            "cat -o FILE writes a single ROOT");
}

TEST_F(CatCommandTest, ReportsWhichFilesLoad) {
  std::string printed;
  const absl::Status status =
      Run(RunCat, {"cat", "--loadOnly", "/root.usda", "/none.usda", "/broken.usda"}, &printed);
  EXPECT_EQ(printed, "OK\t/root.usda\nERR\t/none.usda\nERR\t/broken.usda\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << "the first error";
  EXPECT_EQ(Printed(RunCat, {"cat", "--loadOnly", "--uncomposed", "/lib.usda"}), "OK\t/lib.usda\n");
}

TEST_F(CatCommandTest, LoadingALayerAsksForNoValues) {
  Write("values.usda", Concat("def \"A\" { string s = \"", std::string(1000000, 'x'), "\"; }\n"));
  server::ServerOptions options;
  options.calls.max_bytes = 500000;
  Start(options);
  EXPECT_EQ(Printed(RunCat, {"cat", "--loadOnly", "--uncomposed", "/values.usda"}),
            "OK\t/values.usda\n");
}

TEST_F(CatCommandTest, FlagsThatContradictEachOtherAreRefused) {
  for (const Args& flags :
       {Args{"--uncomposed", "--layer-stack"}, Args{"--uncomposed", "--flatten"},
        Args{"--uncomposed", "--mask=/P"}, Args{"--loadOnly", "-o", "x.usda"}}) {
    Args args = {"cat", "/root.usda"};
    args.insert(args.end(), flags.begin(), flags.end());
    EXPECT_TRUE(IsUsageError(Failure(RunCat, args))) << flags[0] << ' ' << flags[1];
  }
}

}  // namespace
}  // namespace stagedoor
