#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class ValueCommandsTest : public CommandsTest {
 protected:
  // Commands that need the path of an attribute.
  static constexpr std::pair<Command, const char*> kCommands[] = {
      {RunGet, "get"}, {RunSamples, "samples"}, {RunPlot, "plot"}};

  void SetUp() override {
    Write("weak.usda", "def \"P\" { double x = 7; }\n");
    Write("root.usda", R"((
    subLayers = [@./weak.usda@ (offset = 10; scale = 2)]
)
def Cube "P"
{
    double x.timeSamples = { 1: 10, 3: 30 }
    double none = None
    double curve.spline = { 1: 10; post held, 3: 20 }
    double[] array = [1, 2, 3]
    rel r = </P>
}
)");
  }
};

TEST_F(ValueCommandsTest, ThePathOfAPrimIsAnsweredWithItsAttributes) {
  const std::string authored =
      "'/P' is a prim, not an attribute; append one of its attributes, as in '/P.array': 'array', "
      "'curve', 'none', 'x', ";
  for (const auto& [command, name] : kCommands) {
    const absl::Status status = Failure(command, {name, "/root.usda", "/P"});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(Message(status).substr(0, authored.size()), authored) << name << ": " << status;
    EXPECT_TRUE(Message(status).ends_with(" more")) << name << ": " << status;
    const absl::Status none = Failure(command, {name, "/root.usda", "/Q"});
    EXPECT_EQ(none.code(), absl::StatusCode::kNotFound) << name << ": " << none;
  }
  EXPECT_TRUE(Failure(RunSamples, {"samples", "/root.usda", "/P", "--values"}).code() ==
              absl::StatusCode::kInvalidArgument);
}

TEST_F(ValueCommandsTest, AMisspeltAttributeIsAnsweredWithTheClosest) {
  for (const auto& [command, name] : kCommands) {
    const absl::Status status = Failure(command, {name, "/root.usda", "/P.curv"});
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << name;
    EXPECT_TRUE(Message(status).ends_with("; did you mean '/P.curve'?")) << name << ": " << status;
  }
  const absl::Status explained = Failure(RunExplain, {"explain", "/root.usda", "/P.curv"});
  EXPECT_TRUE(Message(explained).ends_with("; did you mean '/P.curve'?")) << explained;
  const absl::Status far = Failure(RunGet, {"get", "/root.usda", "/P.zzzzzz"});
  EXPECT_NE(Message(far).find("; the attributes of '/P' are 'array', "), std::string_view::npos)
      << far;
  EXPECT_EQ(Message(Failure(RunGet, {"get", "/root.usda", "/P.r"})),
            "'/P.r' is a relationship, not an attribute");
}

TEST_F(ValueCommandsTest, GetWatchesAnAttributeOfASharedSession) {
  ::signal(SIGPIPE, SIG_IGN);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.set_session("shared");
  const auto stage = client().OpenStage(open);
  ASSERT_TRUE(stage.ok()) << stage.status();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  absl::Status ended;
  std::thread watching([&] {
    const auto line =
        CommandLine::Parse({"get", "/root.usda", "/P.x", "--watch", "--join", "shared"});
    Output output(ends[1]);
    ended = RunGet(client(), *line, output);
  });
  const auto read_line = [&] {
    std::string read;
    for (char c = 0; c != '\n' && ::read(ends[0], &c, 1) == 1;) read += c;
    return read;
  };
  const auto edit = [&](const char* content) {
    v1::SetSessionLayerRequest request;
    request.mutable_stage()->set_handle(stage->handle());
    request.mutable_session_layer()->set_content(
        Concat("#usda 1.0\nover \"P\" { ", content, "; }\n"));
    ASSERT_TRUE(client().SetSessionLayer(request).ok());
  };
  EXPECT_EQ(read_line(), "default\t7\n");
  edit("double y = 1");  // does not concern the attribute
  edit("double x = 8");
  EXPECT_EQ(read_line(), "default\t8\n");
  ::close(ends[0]);
  edit("double x = 9");
  watching.join();
  EXPECT_FALSE(ended.ok()) << "there is nobody to print for";
  ::close(ends[1]);
}

TEST_F(ValueCommandsTest, GetPrintsALineForEachTime) {
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.x", "--times", "2,1:3x2,pre:3,default"}),
            "2\t20\n1\t10\n3\t30\npre:3\t30\ndefault\t7\n");
  EXPECT_EQ(
      Printed(RunGet, {"get", "/root.usda", "/P.x", "--times", "2", "--interpolation", "held"}),
      "2\t10\n");
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.size"}), "default\t2\n");
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.array"}), "default\t[1,2,3]\n");
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.none", "--times", "1"}), "1\tblocked\n");
  EXPECT_EQ(Printed(RunGet, {"get", "/root.usda", "/P.extent", "--times", "1"}),
            "1\t[[-1,-1,-1],[1,1,1]]\n");
}

TEST_F(ValueCommandsTest, GetReportsWhatDoesNotExist) {
  EXPECT_EQ(Failure(RunGet, {"get", "/root.usda", "/P.y"}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Failure(RunGet, {"get", "/root.usda", "/P.r"}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Failure(RunGet, {"get", "/missing.usda", "/P.x"}).code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(IsUsageError(Failure(RunGet, {"get", "/root.usda", "/P.x", "--times", "soon"})));
  EXPECT_TRUE(IsUsageError(Failure(RunGet, {"get", "/root.usda", "/P.x", "--arrays", "some"})));
}

TEST_F(ValueCommandsTest, SamplesPrintsTimesOnOneLine) {
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x"}), "1 3\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--interval", "2:4"}), "3\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--interval", "1"}), "1\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.size"}), "\n");
  EXPECT_EQ(Failure(RunSamples, {"samples", "/root.usda", "/P.y"}).code(),
            absl::StatusCode::kNotFound);
  for (const char* interval : {"1:", ":1", "x", "1:2:3"}) {
    EXPECT_TRUE(IsUsageError(
        Failure(RunSamples, {"samples", "/root.usda", "/P.x", "--interval", interval})))
        << interval;
  }
}

TEST_F(ValueCommandsTest, SamplesPrintsTheValuesThatCoverIntervals) {
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--values"}), "1\t10\n3\t30\n");
  EXPECT_EQ(
      Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--values", "--interval", "1.5:2"}),
      "1\t10\n3\t30\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.x", "--values", "--interval", "0:1",
                                 "--interval", "3"}),
            "0:1:\n1\t10\n3:\n3\t30\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.size", "--values"}), "-\t2\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.none", "--values"}), "-\tblocked\n");
  EXPECT_EQ(Printed(RunSamples, {"samples", "/root.usda", "/P.curve", "--values"}),
            "1\t10\npre:3\t10\n3\t20\n");
  EXPECT_EQ(Failure(RunSamples, {"samples", "/root.usda", "/P.y", "--values"}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(IsUsageError(Failure(RunSamples, {"samples", "/root.usda", "/P.x", "--values",
                                                "--interval", "1", "--interval", "x"})));
}

TEST_F(ValueCommandsTest, ExplainPrintsEveryOpinion) {
  EXPECT_EQ(Printed(RunExplain, {"explain", "/root.usda", "/P.x", "--time", "2"}),
            "/P.x\n"
            "  prim spec: /root.usda </P> by root\n"
            "  prim spec: /weak.usda </P> by root, time * 2 + 10\n"
            "2: 20\n"
            "  source: time samples\n"
            "  spec: /root.usda </P.x> by root\n"
            "  samples: 1 and 3, interpolated; layer time 2\n"
            "  note: source: time samples\n"
            "  note: stage time 2 is time 2 in the answering layer (offset 0, scale 1)\n"
            "  opinion: /root.usda </P.x> by root: 20 (time samples)\n"
            "  opinion: /weak.usda </P.x> by root, time * 2 + 10: 7 (default)\n");
}

TEST_F(ValueCommandsTest, ExplainPrintsTimesAndSources) {
  const std::string x =
      Printed(RunExplain, {"explain", "/root.usda", "/P.x", "--times", "default,pre:3,earliest"});
  EXPECT_NE(x.find("\ndefault: 7\n  source: default\n"), std::string::npos) << x;
  EXPECT_NE(x.find("\npre:3: 30\n"), std::string::npos) << x;
  EXPECT_NE(x.find("\nearliest: 10\n"), std::string::npos) << x;
  EXPECT_NE(x.find("  samples: 1, held;"), std::string::npos) << x;
  const std::string none = Printed(RunExplain, {"explain", "/root.usda", "/P.none", "--time", "1"});
  EXPECT_NE(none.find("\n1: blocked\n  source: nothing\n"), std::string::npos) << none;
  const std::string size = Printed(RunExplain, {"explain", "/root.usda", "/P.size", "--time", "1"});
  EXPECT_NE(size.find("\n1: 2\n  source: fallback\n"), std::string::npos) << size;
  EXPECT_EQ(size.find("  spec: "), std::string::npos) << size;
}

class PrefetchTest : public CommandsTest {
 protected:
  void SetUp() override { WriteClips(3); }
};

TEST_F(PrefetchTest, PrintsTheNumberOfOpenClips) {
  EXPECT_EQ(Printed(RunPrefetch, {"prefetch", "/root.usda", "/P", "--interval", "1:2"}),
            "2 clips open\n");
  EXPECT_TRUE(IsUsageError(Failure(RunPrefetch, {"prefetch", "/root.usda", "/P"})));
}

TEST_F(PrefetchTest, PrintsTheNumberOfClipsThatDidNotFit) {
  server::ServerOptions options;
  options.clip_cache_files = 2;
  Start(options);
  EXPECT_EQ(Printed(RunPrefetch, {"prefetch", "/root.usda", "/P", "--interval", "1:3"}),
            "2 clips open\n1 clips not opened: the budget of the clip cache is exhausted\n");
}

using WarmTest = PrefetchTest;

TEST_F(WarmTest, PrintsWhatIsPrepared) {
  const std::string text = Printed(RunWarm, {"warm", "/root.usda", "--interval", "1:2"});
  EXPECT_EQ(text.substr(0, 10), "snapshot: ");
  EXPECT_EQ(text.substr(text.find('\n') + 1), "1 attributes of 1 prims compiled\n2 clips open\n");
  EXPECT_EQ(Printed(RunWarm, {"warm", "/root.usda", "/P"}).find("2 clips"), std::string::npos);
}

TEST_F(WarmTest, PrintsProgressOnRequest) {
  const std::string text =
      Printed(RunWarm, {"warm", "/root.usda", "--interval", "1:2", "--progress"});
  EXPECT_EQ(text.substr(0, text.find("snapshot")),
            "opening the stage\n0 of 1 prims\n0 of 1 clip sets\n1 of 1 clip sets\n");
}

TEST_F(WarmTest, ReportsPrimsThatDoNotExist) {
  const absl::Status status = Failure(RunWarm, {"warm", "/root.usda", "/P", "/Nobody"});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

TEST_F(WarmTest, PrintsWhatDidNotFit) {
  server::ServerOptions options;
  options.clip_cache_files = 2;
  Start(options);
  const std::string text = Printed(RunWarm, {"warm", "/root.usda", "--interval", "1:3"});
  EXPECT_NE(text.find("2 clips open\n1 clips not opened: the budget of the clip cache is "
                      "exhausted\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace stagedoor
