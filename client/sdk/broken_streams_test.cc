// Streams that break after they have brought something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/sdk/stage.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

using ::testing::ElementsAre;

const grpc::Status kBroken(grpc::StatusCode::UNAVAILABLE, "Socket closed");

std::vector<std::string> PathsOf(const absl::StatusOr<std::vector<Prim>>& prims) {
  if (!prims.ok()) return {prims.status().ToString()};
  std::vector<std::string> paths;
  for (const Prim& prim : *prims) paths.push_back(prim.path());
  return paths;
}

class BrokenStreamsTest : public FakeDaemonTest {
 protected:
  // A stage of a connection that knows the first daemon only, as behind a proxy.
  Stage OpenBehindProxy(const StageOptions& options = {}) {
    std::vector<std::unique_ptr<Client>> clients;
    ClientOptions client;
    client.max_attempts = 1;
    clients.push_back(Client::FromChannel(servers_[0]->InProcessChannel({}), client));
    connection_ = Connection::FromClients(std::move(clients), {});
    return Open(options);
  }
};

TEST_F(BrokenStreamsTest, WhatIsCollectedIsReadAgainFromItsBeginning) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({kBroken, kBroken});
  EXPECT_THAT(PathsOf(stage.FindPrims()), ElementsAre("/A", "/B"));
  EXPECT_EQ(first_.opened().size(), 1u) << "the lease may be known to the next daemon";
}

TEST_F(BrokenStreamsTest, NotMoreThanThreeTimes) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({kBroken, kBroken, kBroken});
  EXPECT_THAT(PathsOf(stage.FindPrims()), ElementsAre("/A", "/B"));
  first_.BreakStreams({kBroken, kBroken, kBroken, kBroken});
  EXPECT_TRUE(IsUnreachable(stage.FindPrims().status()));
}

TEST_F(BrokenStreamsTest, AnEditedSessionIsNotOpenedAgainForThat) {
  const Stage stage = OpenBehindProxy({.session = "review"});
  EXPECT_TRUE(stage.SetSessionLayer("#usda 1.0\n").ok());
  first_.BreakStreams({kBroken});
  EXPECT_THAT(PathsOf(stage.FindPrims()), ElementsAre("/A", "/B"));
}

TEST_F(BrokenStreamsTest, TheNextDaemonIsAskedIfThereIsOne) {
  const Stage stage = Open();
  first_.BreakStreams({kBroken});
  EXPECT_THAT(PathsOf(stage.FindPrims()), ElementsAre("/A", "/B"));
  EXPECT_EQ(second_.opened().size(), 1u);
}

TEST_F(BrokenStreamsTest, ALostLeaseIsReplacedFirst) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({Refusal(grpc::StatusCode::FAILED_PRECONDITION, "LEASE_EXPIRED")});
  EXPECT_THAT(PathsOf(stage.FindPrims()), ElementsAre("/A", "/B"));
  EXPECT_EQ(first_.opened().size(), 2u);
}

TEST_F(BrokenStreamsTest, OtherErrorsEndTheCall) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({Refusal(grpc::StatusCode::UNAVAILABLE, "STORE_UNAVAILABLE")});
  EXPECT_EQ(ErrorReason(stage.FindPrims().status()), "STORE_UNAVAILABLE");
}

TEST_F(BrokenStreamsTest, LargeBatchesAreReadAgain) {
  const Stage stage = OpenBehindProxy();
  first_.large = true;
  first_.BreakStreams({kBroken});
  const auto values = stage.GetValues({"/A.x", "/A.y"}, 1);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->Get<Array<float>>(1, 0)->size(), 2u);
  first_.BreakStreams({kBroken});
  const auto later = stage.GetValuesAsync({"/A.x", "/A.y"}, 1).get();
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(later->Get<Array<float>>(1, 0)->size(), 2u);
}

TEST_F(BrokenStreamsTest, SkinnedPrimsArriveOnce) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({kBroken, kBroken});
  std::vector<std::string> got;
  const std::string paths[] = {"/A", "/B", "/C"};
  const absl::Status status = stage.GetSkinnedPoints(paths, 1, [&](const SkinnedPrim& prim) {
    got.push_back(prim.path);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(got, ElementsAre("/A", "/B", "/C"));
  const auto requests = first_.skinned();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].stage().snapshot(), "");
  EXPECT_EQ(requests[2].stage().snapshot(), "skinned") << "all prims are of one snapshot";
}

TEST_F(BrokenStreamsTest, SoTheyDoWithoutWaiting) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({kBroken});
  std::vector<std::string> got;
  std::promise<absl::Status> done;
  const std::string paths[] = {"/A", "/B"};
  stage.GetSkinnedPointsAsync(
      paths, 1,
      [&](const SkinnedPrim& prim) {
        got.push_back(prim.path);
        return absl::OkStatus();
      },
      [&](absl::Status status) { done.set_value(std::move(status)); }, {});
  EXPECT_TRUE(done.get_future().get().ok());
  EXPECT_THAT(got, ElementsAre("/A", "/B"));
}

TEST_F(BrokenStreamsTest, ASinkThatRefusesAPrimEndsTheCall) {
  const Stage stage = OpenBehindProxy();
  const std::string paths[] = {"/A", "/B"};
  int calls = 0;
  const absl::Status status = stage.GetSkinnedPoints(paths, 1, [&](const SkinnedPrim&) {
    ++calls;
    return absl::UnavailableError("no room");
  });
  EXPECT_EQ(status, absl::UnavailableError("no room"));
  EXPECT_EQ(calls, 1);
}

TEST_F(BrokenStreamsTest, MessagesThatTheProgramHasGotAreNotSentAgain) {
  const Stage stage = OpenBehindProxy();
  first_.BreakStreams({kBroken});
  int parts = 0;
  const absl::Status status =
      stage.Stream(&Client::Traverse, v1::TraverseRequest(), [&](const v1::TraverseResponse&) {
        ++parts;
        return absl::OkStatus();
      });
  EXPECT_TRUE(IsUnreachable(status)) << status;
  EXPECT_EQ(parts, 1);
}

}  // namespace
}  // namespace stagedoor::sdk
