// `stagedoor prefetch` and `stagedoor stats` against a daemon process.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "client/cc/client.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

constexpr char kCommand[] = "client/cli/stagedoor";  // in the test's runfiles
constexpr int kClips = 6;

class CliPrefetchTest : public ::testing::Test {
 protected:
  CliPrefetchTest() {
    for (int i = 1; i <= kClips; ++i) {
      daemon_.WriteFile(
          Concat("c.", i, ".usda"),
          Concat("#usda 1.0\ndef \"M\" {\n  double x.timeSamples = {", i, ": ", 10 * i, "}\n}\n"));
    }
    daemon_.WriteFile("m.usda", "#usda 1.0\ndef \"M\" {\n  double x\n}\n");
    daemon_.WriteFile("model.usda", Concat(R"(#usda 1.0
def "M" (clips = { dictionary default = {
  asset manifestAssetPath = @./m.usda@
  string primPath = "/M"
  string templateAssetPath = "./c.#.usda"
  double templateStartTime = 1
  double templateEndTime = )",
                                           kClips, R"(
  double templateStride = 1
}}) {
  double x
}
)"));
    root_ = daemon_.WriteFile(
        "root.usda",
        "#usda 1.0\ndef \"A\" ( references = @./model.usda@</M> (offset = 100; scale = 2) ) {}\n");
  }
  std::pair<int, std::string> Run(const std::string& words) {
    return RunShell(Concat(kCommand, " --address ", daemon_.address(), " ", words));
  }
  uint64_t OpenClips() {
    const auto client =
        Client::Connect({.address = daemon_.address(), .timeout = std::chrono::seconds(20)});
    const auto stats = client->GetCacheStatistics(v1::GetCacheStatisticsRequest());
    EXPECT_TRUE(stats.ok());
    for (const v1::CacheStatistics& cache : stats->caches()) {
      if (cache.name() == "clips") return cache.entries();
    }
    return 0;
  }

  DaemonProcess daemon_;
  std::string root_;
};

TEST_F(CliPrefetchTest, OpensTheClipsOfAnInterval) {
  // Stage times 104 to 108 are 2 to 4 in the model.
  const auto [status, output] = Run(Concat("prefetch ", root_, " /A.x --interval 104:108"));
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output, "3 clips open\n");
  EXPECT_EQ(OpenClips(), 3u);
  EXPECT_EQ(Run(Concat("get ", root_, " /A.x --times 106")).second, "106\t30\n");
}

TEST_F(CliPrefetchTest, StatisticsListBudgetsAndLayers) {
  Run(Concat("prefetch ", root_, " /A.x --interval 104:108"));
  const auto [status, output] = Run("stats --layers");
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output.find(" of 0 "), std::string::npos) << output;
  for (const char* part : {"\nclips: 3 of 16384 entries, ",
                           "3 opens, 0 failures, 3 open files, 0 pinned, "
                           "3 prefetches, 0 missing\n",
                           "c.3.usda: ", " bytes, 1 opens, 0 hits\n"}) {
    EXPECT_NE(output.find(part), std::string::npos) << part << " in\n" << output;
  }
}

TEST_F(CliPrefetchTest, ErrorsStateWhatIsWrong) {
  EXPECT_EQ(Run(Concat("prefetch ", root_, " /A")).first, 2);
  EXPECT_EQ(Run(Concat("prefetch ", root_, " --interval 1:2")).first, 2);
  EXPECT_EQ(Run(Concat("prefetch ", root_, " /A --interval 1:x")).first, 2);
  const auto [status, output] = Run(Concat("prefetch ", root_, " /B --interval 1:2"));
  EXPECT_EQ(status, 4) << "not found";
  EXPECT_NE(output.find("/B"), std::string::npos) << output;
}

}  // namespace
}  // namespace stagedoor
