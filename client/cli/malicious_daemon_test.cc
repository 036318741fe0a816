// Commands that write files, against a daemon that tries to make them write elsewhere.
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cli/command_line.h"
#include "client/cli/commands.h"
#include "stagedoor/v1/layers.grpc.pb.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::pair<std::string, std::string>>;

// Sends the given files in reply to every request.
class MaliciousDaemon final : public v1::LayersService::Service {
 public:
  Files files;
  bool breaks_off = false;

 private:
  template <typename Response>
  grpc::Status Send(grpc::ServerWriter<Response>* writer) const {
    for (const auto& [name, content] : files) {
      Response response;
      response.mutable_chunk()->set_name(name);
      response.mutable_chunk()->set_data(content);
      writer->Write(response);
    }
    return breaks_off ? grpc::Status(grpc::StatusCode::INTERNAL, "broke off") : grpc::Status::OK;
  }
  grpc::Status LocalizeStage(grpc::ServerContext*, const v1::LocalizeStageRequest*,
                             grpc::ServerWriter<v1::LocalizeStageResponse>* writer) override {
    return Send(writer);
  }
  grpc::Status ListDependencies(grpc::ServerContext*, const v1::ListDependenciesRequest*,
                                grpc::ServerWriter<v1::ListDependenciesResponse>*) override {
    return grpc::Status::OK;
  }
  grpc::Status StitchClips(grpc::ServerContext*, const v1::StitchClipsRequest*,
                           grpc::ServerWriter<v1::StitchClipsResponse>* writer) override {
    return Send(writer);
  }
  grpc::Status FlattenStage(grpc::ServerContext*, const v1::FlattenStageRequest*,
                            grpc::ServerWriter<v1::FlattenStageResponse>* writer) override {
    v1::FlattenStageResponse response;
    response.set_data(files.front().second);
    writer->Write(response);
    return breaks_off ? grpc::Status(grpc::StatusCode::INTERNAL, "broke off") : grpc::Status::OK;
  }
};

class MaliciousDaemonTest : public ::testing::Test {
 protected:
  MaliciousDaemonTest() : root_(::testing::TempDir() + "/malicious"), out_(root_ / "out") {
    fs::remove_all(root_);
    fs::create_directories(root_);
    grpc::ServerBuilder builder;
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
    client_ = Client::FromChannel(server_->InProcessChannel({}), {});
  }
  absl::Status Run(absl::Status (*command)(Client&, const CommandLine&, Output&),
                   const std::vector<std::string>& args) {
    const auto line = CommandLine::Parse(args);
    EXPECT_TRUE(line.ok()) << line.status();
    Output output;
    return command(*client_, *line, output);
  }
  absl::Status Localize() { return Run(RunLocalize, {"localize", "/r.usda", "-o", out_.string()}); }
  // All files below the test's directory.
  std::vector<std::string> Written() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), root_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path root_, out_;
  MaliciousDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(MaliciousDaemonTest, LocalizeWritesBelowItsDirectory) {
  daemon_.files = {{"r.usda", "1"}, {"", "2"}, {"tex/a.png", "3"}};
  const absl::Status status = Localize();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Written(), (std::vector<std::string>{"out/r.usda", "out/tex/a.png"}));
  EXPECT_EQ(fs::file_size(out_ / "r.usda"), 2u);
}

TEST_F(MaliciousDaemonTest, LocalizeWritesNowhereElse) {
  const std::string absolute = (root_ / "evil").string();
  for (const std::string& name : {std::string("../evil"), absolute, std::string("a/../../evil"),
                                  std::string("..\\evil"), std::string("a\0/evil", 7)}) {
    daemon_.files = {{name, "x"}};
    EXPECT_EQ(Localize().code(), absl::StatusCode::kPermissionDenied) << Quoted(name);
    EXPECT_EQ(Written(), std::vector<std::string>{}) << Quoted(name);
  }
  daemon_.files = {{"", "x"}};
  EXPECT_FALSE(Localize().ok()) << "the first file has no name";
}

TEST_F(MaliciousDaemonTest, AFailureReportsWrittenFilesAndLeavesNoIncompleteFile) {
  daemon_.files = {{"a.usda", "1"}, {"b.usda", "2"}};
  daemon_.breaks_off = true;
  const absl::Status status = Localize();
  EXPECT_NE(std::string(Message(status)).find("after 1 files were written"), std::string::npos)
      << status;
  EXPECT_EQ(Written(), std::vector<std::string>{"out/a.usda"});
}

TEST_F(MaliciousDaemonTest, StitchClipsWritesOnlyItsThreeFiles) {
  const auto stitch = [&] {
    return Run(RunStitchClips,
               {"stitch-clips", "--out", (out_ / "s.usda").string(), "--clipPath=/A", "/c.usda"});
  };
  daemon_.files = {{"s.usda", "1"}, {"s.topology.usda", "2"}, {"s.manifest.usda", "3"}};
  EXPECT_TRUE(stitch().ok()) << stitch();
  EXPECT_EQ(Written().size(), 3u);
  for (const char* name : {".bashrc", "other.usda", "sub/s.usda", "../s.usda"}) {
    daemon_.files = {{name, "x"}};
    EXPECT_EQ(stitch().code(), absl::StatusCode::kPermissionDenied) << name;
  }
  EXPECT_EQ(Written().size(), 3u);
}

TEST_F(MaliciousDaemonTest, PackagesWithBadMembersAreNotKept) {
  daemon_.files = {{"package.usdz", "PK no package"}};
  const std::string out = (root_ / "p.usdz").string();
  EXPECT_FALSE(Run(RunLocalize, {"localize", "/r.usda", "-o", out}).ok());
  EXPECT_EQ(Written(), std::vector<std::string>{});
}

TEST_F(MaliciousDaemonTest, AnInterruptedStreamLeavesTheOldFile) {
  const fs::path out = root_ / "f.usda";
  std::ofstream(out) << "old";
  daemon_.files = {{"", "half"}};
  daemon_.breaks_off = true;
  EXPECT_FALSE(Run(RunFlatten, {"flatten", "/r.usda", "-o", out.string()}).ok());
  EXPECT_EQ(fs::file_size(out), 3u);
  daemon_.breaks_off = false;
  EXPECT_TRUE(Run(RunFlatten, {"flatten", "/r.usda", "-o", out.string()}).ok());
  EXPECT_EQ(fs::file_size(out), 4u);
  EXPECT_EQ(Written(), std::vector<std::string>{"f.usda"});
  EXPECT_FALSE(Run(RunFlatten, {"flatten", "/r.usda", "-o", "x.foo"}).ok());
}

}  // namespace
}  // namespace stagedoor
