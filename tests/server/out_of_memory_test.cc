// Regardless of which allocation of a request fails, only that request fails, and the next one
// succeeds as usual. The environment variable OUT_OF_MEMORY_ROUNDS sets the failures per request.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/config.h"
#include "base/status.h"
#include "base/testing/failing_new.h"
#include "base/testing/temp_dir.h"
#include "resolver/file/file_resolver.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "server/server.h"
#include "server/testing/fake_admin_control.h"
#include "server/testing/generic_call.h"
#include "server/testing/mixed_requests.h"
#include "server/testing/mixed_scene.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Message;

constexpr std::chrono::seconds kDeadline{20};
constexpr grpc::StatusCode kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;

#ifdef ABSL_HAVE_ADDRESS_SANITIZER
constexpr int kRounds = 30;  // several times slower there
#else
constexpr int kRounds = 60;
#endif

using Case = MixedRequest;

const Case& CaseNamed(std::string_view name) {
  const auto& all = MixedRequests();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Case& tested) { return tested.name == name; });
}

class OutOfMemoryTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    StartServer();
    scene_ = MixedScene();
    PutScene();
    Add("crate.usdc", "LayersService/ConvertLayer",
        "identifier: '%/crate.usda' format: LAYER_FORMAT_USDC");
    Add("package.usdz", "LayersService/FlattenStage",
        "source { open { root_layer: '%/heavy.usda' } } format: LAYER_FORMAT_USDZ");
  }

  // Starts a server with empty caches.
  void StartServer() {
    stage_.clear();
    server_.reset();
    auto server = Server::Start({}, std::make_shared<PackageResolver>(Resolver()), &control_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = server_->InProcessChannel();
  }

  // Publishes new versions of all files, so that nothing cached applies, and opens another stage if
  // the request needs one.
  void Renew() {
    PutScene();
    if (std::string(GetParam().request).find('$') == std::string::npos) return;
    if (!stage_.empty()) Call({"", "StagesService/CloseStage", "handle: '$'"});
    const GenericReply opened = Call({"", "StagesService/OpenStage", "root_layer: '%/root.usda'"});
    ASSERT_TRUE(opened.status.ok()) << opened.status.error_message();
    const Message& reply = *opened.messages.at(0);
    const auto* handle = reply.GetDescriptor()->FindFieldByName("handle");
    stage_ = reply.GetReflection()->GetString(reply, handle);
    if (std::string_view(GetParam().name) == "ReloadStage") PutScene();
  }

  GenericReply Call(const Case& tested) {
    const auto request = RequestOf(tested, stage_, Folder());
    return CallMethod(channel_, MethodOf(tested), *request, kDeadline);
  }
  GenericReply NormalizedCall(const Case& tested) {
    GenericReply reply = Call(tested);
    Normalize(&reply);
    return reply;
  }

  // Calls with failing allocations; if `twice`, two calls at once, which may wait for each other.
  void CallWithFailures(uint64_t first, bool all, bool twice, const GenericReply& expected) {
    FailAllocations(first, all);
    std::future<GenericReply> other;
    if (twice) {
      other = std::async(std::launch::async, [this] { return NormalizedCall(GetParam()); });
    }
    const GenericReply reply = NormalizedCall(GetParam());
    if (twice) ExpectAnswerOrExhausted(other.get(), expected);
    StopFailingAllocations();
    ExpectAnswerOrExhausted(reply, expected);
    answered_ = reply.status.ok();
  }

  static void ExpectAnswerOrExhausted(const GenericReply& reply, const GenericReply& expected) {
    if (reply.status.error_code() == kExhausted) return;
    if (GetParam().differs) {
      EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    } else {
      EXPECT_EQ(Difference(expected, reply), "") << "while allocations failed";
    }
  }

  void ExpectAnswer(const GenericReply& expected) {
    if (GetParam().differs && answered_) return;
    const GenericReply reply = NormalizedCall(GetParam());
    if (GetParam().differs) {
      EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    } else {
      EXPECT_EQ(Difference(expected, reply), "") << "afterwards";
    }
  }

  // The directory of the files.
  virtual std::string Folder() { return ""; }
  virtual std::shared_ptr<const stagedoor::Resolver> Resolver() { return files_; }
  virtual void Put(const SceneFile& file) {
    ASSERT_TRUE(files_->Put(Concat("/", file.name), file.content).ok());
  }

  static int Rounds() {
    const char* rounds = std::getenv("OUT_OF_MEMORY_ROUNDS");
    return rounds == nullptr ? kRounds : std::atoi(rounds);
  }

  void RunRounds(int rounds) {
    Renew();
    FailAllocations(UINT64_MAX - 1, false);
    const GenericReply expected = NormalizedCall(GetParam());
    const uint64_t allocations = StopFailingAllocations();
    ASSERT_TRUE(expected.status.ok()) << expected.status.error_message();
    ASSERT_GT(allocations, 0u);
    RecordProperty("allocations", static_cast<int>(allocations));
    std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): reproducible on purpose
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      const bool all = round % 2 != 0;
      const uint64_t next = static_cast<uint64_t>(round) / 2 + 1;
      if (next > allocations) break;
      const bool few = allocations <= static_cast<uint64_t>(rounds) / 2;
      const uint64_t first = few || round < rounds / 3 ? next : 1 + random() % allocations;
      SCOPED_TRACE(Concat("allocation ", first, " of ", allocations, all ? " and all after" : ""));
      // A call that has an effect needs a new state each time.
      const bool warm = round % 5 == 4 && !GetParam().differs;
      if (!warm && round % 7 == 3) StartServer();
      if (!warm) Renew();
      const bool twice = round % 3 == 2 && !GetParam().differs;
      CallWithFailures(first, all, twice, expected);
      ExpectAnswer(expected);
    }
  }

 private:
  void PutScene() {
    for (const SceneFile& file : scene_) Put(file);
  }

  // Adds a file that a method generates.
  void Add(const std::string& name, const char* method, const char* request) {
    const GenericReply made = Call({"", method, request});
    ASSERT_TRUE(made.status.ok()) << made.status.error_message();
    std::string content;
    for (const auto& message : made.messages) {
      const auto* data = message->GetDescriptor()->FindFieldByName("data");
      content += message->GetReflection()->GetString(*message, data);
    }
    scene_.push_back({name, content});
  }

  const std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  bool answered_ = false;
  FakeAdminControl control_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::vector<SceneFile> scene_;
  std::string stage_ = "";
};

TEST_P(OutOfMemoryTest, OnlyTheRequestFails) { RunRounds(Rounds()); }

INSTANTIATE_TEST_SUITE_P(Methods, OutOfMemoryTest, ::testing::ValuesIn(MixedRequests()),
                         [](const auto& info) { return std::string(info.param.name); });

// Tests running out of memory with mapped files. Uses few rounds, since just-written files are not
// read immediately.
class OutOfMemoryOnDiskTest : public OutOfMemoryTest {
 protected:
  std::string Folder() override { return folder_.path(); }
  std::shared_ptr<const stagedoor::Resolver> Resolver() override {
    return FileResolver::Create({.roots = {folder_.path()}, .map_threshold = 1}).value();
  }
  void Put(const SceneFile& file) override { folder_.Write(file.name, file.content); }

 private:
  const TempDir folder_;
};

TEST_P(OutOfMemoryOnDiskTest, OnlyTheRequestFails) { RunRounds(Rounds() / 4); }

INSTANTIATE_TEST_SUITE_P(Methods, OutOfMemoryOnDiskTest,
                         ::testing::ValuesIn({CaseNamed("OpenStage"), CaseNamed("BatchGetValues"),
                                              CaseNamed("ReadCrate"), CaseNamed("ReadPackage"),
                                              CaseNamed("LocalizeToPackage")}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OutOfMemory, EveryMethodIsTested) {
  const auto& all = MixedRequests();
  for (const auto* method : AllMethods()) {
    const std::string name = Concat(method->service()->name(), "/", method->name());
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& tested) {
      return tested.method == name;
    })) << name;
  }
}

}  // namespace
}  // namespace stagedoor::server
