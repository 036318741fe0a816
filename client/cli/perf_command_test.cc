#include "client/cli/perf_command.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/testing/temp_dir.h"
#include "client/cli/perf_calls.h"
#include "client/cli/testing/commands_test.h"
#include "server/server.h"

namespace stagedoor {
namespace {

class PerfCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"((
    startTimeCode = 1
    endTimeCode = 48
)
def "P"
{
    double x = 1
    float y.timeSamples = { 1: 1, 2: 2 }
    int[] many = [1]
    rel r
    def "Q"
    {
        double z
    }
}
)");
    server::ServerOptions options;
    options.addresses = {address_};
    auto started = server::Server::Start(options, files_, &control_);
    ASSERT_TRUE(started.ok()) << started.status();
    served_ = *std::move(started);
  }
  // Runs the command against a server at an address; it is not connected to client().
  absl::Status Perf(Args args, std::string* printed) {
    args.insert(args.begin(), {"perf", "--address", address_});
    return Run(
        [](Client&, const CommandLine& line, Output& output) { return RunPerf(line, output); },
        args, printed);
  }
  v1::OpenStageRequest OpenRequest() const {
    v1::OpenStageRequest request;
    request.set_root_layer("/root.usda");
    return request;
  }

  TempDir dir_{"/tmp"};
  const std::string address_ = Concat("unix:", dir_.path(), "/socket");
  std::unique_ptr<server::Server> served_;
};

TEST_F(PerfCommandTest, PrintsALineForEachKindOfCalls) {
  std::string printed;
  const absl::Status status =
      Perf({"/root.usda", "--clients=2", "--duration=0.3", "--mix",
            "values=2,prim,samples,explain,traverse,open", "--batch=3", "--format=csv"},
           &printed);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(printed.find("call,calls,errors,per_second,mean_ms,p50_ms,p90_ms,p99_ms,max_ms\r\n"),
            0u)
      << printed;
  for (const char* name : {"values", "prim", "samples", "explain", "traverse", "open", "all"}) {
    const size_t at = printed.find(Concat("\r\n", name, ","));
    ASSERT_NE(at, std::string::npos) << name << printed;
  }
}

TEST_F(PerfCommandTest, NoMoreCallsThanTheRateDemands) {
  std::string printed;
  EXPECT_TRUE(Perf({"/root.usda", "--duration=0.5", "--rate=20", "--format=csv"}, &printed).ok());
  const std::string begin = "\r\nvalues,";
  const size_t at = printed.find(begin);
  ASSERT_NE(at, std::string::npos) << printed;
  // Fewer on a machine that does not keep up.
  const int calls = std::stoi(printed.substr(at + begin.size()));
  EXPECT_GE(calls, 1);
  EXPECT_LE(calls, 10);
  EXPECT_EQ(printed.find("\r\nall,"), std::string::npos) << "only one kind";
}

TEST_F(PerfCommandTest, TargetsAreAttributesThatMatch) {
  const auto all = FindPerfTargets(client(), OpenRequest(), {}, {}, /*arrays=*/false);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->prims, (Args{"/P", "/P/Q"}));
  EXPECT_EQ(all->attributes, (Args{"/P.x", "/P.y", "/P/Q.z"}));
  EXPECT_EQ(all->first_time, 1);
  EXPECT_EQ(all->last_time, 48);
  const auto arrays = FindPerfTargets(client(), OpenRequest(), {}, {"m*"}, /*arrays=*/true);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(arrays->attributes, (Args{"/P.many"}));
  const auto below = FindPerfTargets(client(), OpenRequest(), {"/P/Q"}, {}, /*arrays=*/false);
  ASSERT_TRUE(below.ok()) << below.status();
  EXPECT_EQ(below->attributes, (Args{"/P/Q.z"}));
  EXPECT_EQ(FindPerfTargets(client(), OpenRequest(), {}, {"none"}, false).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(PerfCommandTest, WrongFlagsAreUsageErrors) {
  for (const char* flag :
       {"--clients=0", "--clients=x", "--batch=0", "--duration=0", "--duration=-1", "--rate=0",
        "--mix=", "--mix=values,other", "--mix=values=0", "--mix=values=x", "--format=xml"}) {
    std::string printed;
    EXPECT_TRUE(IsUsageError(Perf({"/root.usda", flag}, &printed))) << flag;
    EXPECT_EQ(printed, "") << flag;
  }
  std::string printed;
  EXPECT_EQ(Perf({"/none.usda"}, &printed).code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
