// Tests handles when leases are lost and daemons cannot be reached. tests/sdk asks a real daemon.
#include "client/sdk/stage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/cc/error_reason.h"
#include "client/sdk/error.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

using StageTest = FakeDaemonTest;

TEST_F(StageTest, OptionsAreSent) {
  StageOptions options;
  options.session_layer = "#usda 1.0\n";
  options.load_payloads = false;
  options.population_mask = {"/A", "/B"};
  options.muted_layers = {"/m.usda"};
  options.session = "review";
  options.change_policy = v1::CHANGE_POLICY_FIXED;
  options.interpolation = v1::INTERPOLATION_HELD;
  options.request.set_client_name("mine");
  options.request.add_variant_fallbacks()->set_variant_set("look");
  const Stage stage = Open(options);
  const v1::OpenStageRequest sent = first_.opened().at(0);
  EXPECT_EQ(sent.root_layer(), "/root.usda");
  EXPECT_EQ(sent.session_layer().content(), "#usda 1.0\n");
  EXPECT_EQ(sent.load_policy(), v1::LOAD_POLICY_NONE);
  ASSERT_EQ(sent.population_mask_size(), 2);
  EXPECT_EQ(sent.population_mask(1), "/B");
  ASSERT_EQ(sent.muted_layers_size(), 1);
  EXPECT_EQ(sent.muted_layers(0), "/m.usda");
  EXPECT_EQ(sent.session(), "review");
  EXPECT_EQ(sent.change_policy(), v1::CHANGE_POLICY_FIXED);
  EXPECT_EQ(sent.interpolation(), v1::INTERPOLATION_HELD);
  EXPECT_EQ(sent.client_name(), "mine") << "that of the request wins";
  EXPECT_EQ(sent.variant_fallbacks_size(), 1);
  EXPECT_FALSE(sent.has_lease_ttl());
}

TEST_F(StageTest, TheConnectionDecidesHowLongLeasesLast) {
  ConnectionOptions options;
  options.lease_ttl = std::chrono::seconds(7);
  const std::shared_ptr<Connection> connection = Connect(options);
  ASSERT_TRUE(Stage::Open(connection, "/root.usda").ok());
  EXPECT_EQ(first_.opened().at(0).lease_ttl().seconds(), 7);
  StageOptions own;
  own.request.mutable_lease_ttl()->set_seconds(9);
  ASSERT_TRUE(Stage::Open(connection, "/root.usda", own).ok());
  EXPECT_EQ(first_.opened().at(1).lease_ttl().seconds(), 9) << "that of the request wins";
}

TEST_F(StageTest, WithoutConnectionTheAddressIsThatOfTheEnvironment) {
  FakeDaemon daemon("other");
  int port = 0;
  const auto server = daemon.Serve(&port);
  const std::string address = Concat("127.0.0.1:", port);
  ::setenv("STAGEDOOR_ADDRESS", address.c_str(), 1);
  EXPECT_EQ(*Read(Stage::Open("", "/root.usda").value()), 0.5);
  ::setenv("STAGEDOOR_ADDRESS", "127.0.0.1:1", 1);
  EXPECT_EQ(*Read(Stage::Open(address, "/root.usda").value()), 0.5) << "unless it is given";
  ::unsetenv("STAGEDOOR_ADDRESS");
}

TEST_F(StageTest, WithoutDefaultPrimItIsThePseudoRoot) {
  EXPECT_EQ(Open().GetDefaultPrim().path(), "/");
}

TEST_F(StageTest, AStageThatIsLostIsOpenedAgain) {
  const Stage stage = Open();
  EXPECT_EQ(*Read(stage), 0.5);
  first_.Forget();
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(first_.opened().size(), 2u);
  EXPECT_EQ(first_.opened()[1].client_name(), "test");
  EXPECT_NE(first_.opened()[0].request_id(), first_.opened()[1].request_id());
  EXPECT_EQ(stage.snapshot(), "snapshot of first-2");
}

TEST_F(StageTest, EditsAreMadeAgain) {
  const Stage stage = Open();
  const std::string mute[] = {"/a.usda", "/b.usda"};
  const std::string unmute[] = {"/a.usda"};
  const std::string below[] = {"/World/Char"};
  const std::string above[] = {"/World"};
  EXPECT_EQ(*stage.SetSessionLayer("#usda 1.0\n"), "edited");
  EXPECT_EQ(stage.snapshot(), "edited");
  EXPECT_EQ(*stage.MuteLayers(mute), "muted");
  EXPECT_EQ(*stage.MuteLayers({}, unmute), "muted");
  EXPECT_TRUE(stage.Load(below).ok());
  EXPECT_TRUE(stage.Unload(above).ok());
  first_.Forget();
  EXPECT_TRUE(Read(stage).ok());
  const v1::OpenStageRequest again = first_.opened().back();
  EXPECT_EQ(again.session_layer().content(), "#usda 1.0\n");
  ASSERT_EQ(again.muted_layers_size(), 1);
  EXPECT_EQ(again.muted_layers(0), "/b.usda");
  ASSERT_EQ(again.load_rules_size(), 1) << "replaces the rules below";
  EXPECT_EQ(again.load_rules(0).path(), "/World");
  EXPECT_EQ(again.load_rules(0).rule(), v1::LoadRule::RULE_NONE);
}

TEST_F(StageTest, AnEditOpensALostStageAgainToo) {
  const Stage stage = Open();
  first_.Forget();
  EXPECT_EQ(*stage.SetSessionLayer("#usda 1.0\n"), "edited");
  EXPECT_FALSE(first_.opened()[1].has_session_layer()) << "made before the edit is folded";
}

TEST_F(StageTest, AnEditedSessionWithANameIsNotOpenedAgain) {
  const Stage stage = Open({.session = "review"});
  first_.Forget();
  EXPECT_TRUE(Read(stage).ok()) << "without edits, nothing is lost";
  EXPECT_TRUE(stage.SetSessionLayer("#usda 1.0\n").ok());
  first_.Forget();
  EXPECT_EQ(ErrorReason(Read(stage).status()), "LEASE_EXPIRED");
  EXPECT_EQ(first_.opened().size(), 2u);
}

TEST_F(StageTest, TheNextDaemonIsUsedIfOneCannotBeReached) {
  const Stage stage = Open();
  first_.unreachable = true;
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(second_.opened().size(), 1u);
  EXPECT_EQ(stage.snapshot(), "snapshot of second-1");
  EXPECT_TRUE(Open().GetAttributeAtPath("/A.x").Get<double>(1).ok());
  EXPECT_EQ(first_.opened().size(), 1u) << "later stages are opened there as well";
}

TEST_F(StageTest, TheFirstDaemonNeedNotBeThereAtAll) {
  first_.unreachable = true;
  EXPECT_EQ(*Read(Open()), 0.5);
}

TEST_F(StageTest, IfNoDaemonCanBeReachedTheErrorIsThatOfTheConnection) {
  first_.unreachable = true;
  second_.unreachable = true;
  const absl::Status status = Stage::Open(connection_, "/root.usda").status();
  EXPECT_TRUE(IsUnreachable(status)) << status;
}

TEST_F(StageTest, AStreamThatHasBegunIsNotRepeated) {
  const Stage stage = Open();
  first_.BreakStreams({Refusal(grpc::StatusCode::FAILED_PRECONDITION, "LEASE_EXPIRED")});
  int parts = 0;
  const absl::Status status =
      stage.Stream(&Client::Traverse, v1::TraverseRequest(), [&](const v1::TraverseResponse&) {
        ++parts;
        return absl::OkStatus();
      });
  EXPECT_EQ(ErrorReason(status), "LEASE_EXPIRED");
  EXPECT_EQ(parts, 1);
  first_.Forget();
  stage.FindPrims().status().IgnoreError();
  EXPECT_EQ(first_.opened().size(), 2u) << "one that has not begun is";
}

TEST_F(StageTest, BatchesThatAreTooLargeAreStreamed) {
  const Stage stage = Open();
  first_.large = true;
  const std::string paths[] = {"/A.x", "/A.y"};
  const absl::StatusOr<Values> values = stage.GetValues(paths, 1);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->path_count(), 2u);
  EXPECT_EQ(values->time_count(), 1u);
  EXPECT_EQ(values->Get<Array<float>>(1, 0)->size(), 2u);
}

TEST_F(StageTest, TheStageIsClosedWithItsLastHandle) {
  {
    std::optional<Attribute> attribute;
    {
      const Stage stage = Open();
      attribute = stage.GetPrimAtPath("/A").GetAttribute("x");
    }
    EXPECT_EQ(*attribute->Get<double>(1), 0.5);
    EXPECT_EQ(first_.closed(), 0);
  }
  connection_.reset();  // waits for calls in flight
  EXPECT_EQ(first_.closed(), 1);
}

TEST_F(StageTest, AClosedStageIsOfNoUse) {
  Stage stage = Open();
  EXPECT_TRUE(stage.Close().ok());
  EXPECT_TRUE(stage.Close().ok()) << "twice";
  EXPECT_EQ(first_.closed(), 1);
  EXPECT_EQ(Read(stage).status(), absl::FailedPreconditionError("the stage is closed"));
}

TEST_F(StageTest, ClosingALostStageSucceeds) {
  Stage stage = Open();
  first_.Forget();
  EXPECT_TRUE(stage.Close().ok());
}

TEST_F(StageTest, ClosingIsBoundedIfTheDaemonHangs) {
  Stage stage = Open();
  std::optional<Stage> dropped = Open();
  first_.hangs = true;
  EXPECT_TRUE(stage.Close({.timeout = std::chrono::minutes(1)}).ok())
      << "the lease expires by itself";
  EXPECT_LE(first_.time_to_hang.load(), std::chrono::seconds(2));
  EXPECT_FALSE(Read(stage).ok());
  dropped.reset();
  connection_.reset();  // waits for the calls that close stages
  EXPECT_LE(first_.time_to_hang.load(), std::chrono::seconds(2));
}

TEST_F(StageTest, ClosingFailsOnlyIfTheCallIsInvalid) {
  EXPECT_TRUE(absl::IsInvalidArgument(Open().Close({.metadata = {{"Key", "x"}}})));
  Stage stage = Open();
  first_.Forget();
  EXPECT_TRUE(stage.Close().ok());
}

TEST_F(StageTest, RenewalsEndWithTheConnection) {
  first_.hangs = true;
  ConnectionOptions options;
  options.lease_ttl = std::chrono::seconds(0);  // renewed after a fraction of the least one
  std::shared_ptr<Connection> connection = Connect(options);
  absl::StatusOr<Stage> stage = Stage::Open(connection, "/root.usda");
  ASSERT_TRUE(stage.ok()) << stage.status();
  while (first_.renewing == 0) std::this_thread::yield();
  const std::weak_ptr<Connection> ended = connection;
  connection.reset();
  stage = absl::CancelledError();
  while (!ended.expired() || first_.renewed != first_.renewing) std::this_thread::yield();
  EXPECT_GT(first_.time_left.load(), std::chrono::seconds(0)) << "it did not wait for its deadline";
}

TEST_F(StageTest, AddressesOfTheEnvironmentMayBeSeveral) {
  ::setenv("STAGEDOOR_ADDRESS", "unix:/nowhere/1,http://host:1", 1);
  const absl::Status status = Stage::Open("", "/root.usda").status();
  ::setenv("STAGEDOOR_ADDRESS", "unix:/nowhere/1,unix:/nowhere/2", 1);
  const absl::Status refused = Stage::Open("", "/root.usda").status();
  ::unsetenv("STAGEDOOR_ADDRESS");
  EXPECT_NE(status.ToString().find("write 'host:1'"), std::string::npos) << status;
  EXPECT_NE(refused.ToString().find("nothing listens at unix:/nowhere/2"), std::string::npos)
      << refused;
}

// The values of the paths of a reading: each part of it counts from 0.5.
std::vector<double> Numbers(const absl::StatusOr<Values>& values) {
  std::vector<double> numbers;
  if (!values.ok()) return numbers;
  for (size_t i = 0; i < values->path_count(); ++i) {
    numbers.push_back(values->Get<double>(i, 0).value_or(-1));
    EXPECT_EQ(values->GetNumbers(i).value_or(std::vector<double>()), std::vector{numbers.back()});
  }
  return numbers;
}

TEST_F(StageTest, PathsThatAreTooManyAreAskedForInParts) {
  const std::vector<std::string> paths = {"/A.x", "/B.x", "/C.x", "/D.x", "/E.x"};
  const Stage stage = Open();
  first_.max_paths = 2;
  first_.snapshots = {"s", "s", "s", "s", "s", "s"};
  const std::vector<double> expected = {0.5, 1.5, 0.5, 0.5, 1.5};
  const absl::StatusOr<Values> values = stage.GetValues(paths, 1);
  EXPECT_EQ(Numbers(values), expected) << values.status();
  EXPECT_EQ(values->snapshot(), "s");
  EXPECT_EQ(values->Get(5, 0).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Numbers(stage.GetValuesAsync(paths, 1).get()), expected);
  using Pins = std::vector<std::pair<std::string, int>>;
  const Pins once = {{"", 2}, {"s", 1}, {"s", 2}};
  EXPECT_EQ(Pins(first_.pinned.begin(), first_.pinned.begin() + 3), once);
  EXPECT_EQ(Pins(first_.pinned.begin() + 3, first_.pinned.end()), once);
  first_.max_paths = 0;
  EXPECT_EQ(ErrorReason(stage.GetValues(paths, 1).status()), "REQUEST_TOO_LARGE");
  EXPECT_EQ(ErrorReason(stage.GetValuesAsync(paths, 1).get().status()), "REQUEST_TOO_LARGE");
}

TEST_F(StageTest, LargePathsAreAskedForInPartsAtOnce) {
  const std::vector<std::string> paths(5, std::string(6 << 20, 'x'));
  EXPECT_EQ(Numbers(Open().GetValues(paths, 1)), (std::vector{0.5, 1.5, 0.5, 1.5, 0.5}));
  ASSERT_EQ(first_.pinned.size(), 3u);
  EXPECT_EQ(first_.pinned[2].second, 1);
}

TEST_F(StageTest, QueryInPartsBeginsAgainIfTheStageChanges) {
  const std::vector<std::string> paths = {"/A.x", "/B.x"};
  const Stage stage = Open();
  first_.max_paths = 1;
  first_.snapshots = {"1", "2", "3", "3"};
  const absl::StatusOr<Values> values = stage.GetValues(paths, 1);
  EXPECT_EQ(Numbers(values), (std::vector{0.5, 0.5})) << values.status();
  EXPECT_EQ(values->snapshot(), "3");
  first_.snapshots = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
  EXPECT_EQ(stage.GetValues(paths, 1).status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(first_.snapshots.size(), 1u) << "repeated three times";
  first_.snapshots = {"1", "2", "3", "3"};
  EXPECT_EQ(stage.GetValuesAsync(paths, 1).get()->snapshot(), "3");
}

TEST_F(StageTest, PathsOfHandles) {
  const Stage stage = Open();
  const Prim prim = stage.GetPrimAtPath("/World/Char");
  EXPECT_EQ(prim.name(), "Char");
  EXPECT_EQ(prim.GetParent().path(), "/World");
  EXPECT_EQ(prim.GetParent().GetParent().path(), "/");
  EXPECT_EQ(stage.GetPseudoRoot().GetParent().path(), "/");
  EXPECT_EQ(stage.GetPseudoRoot().name(), "/");
  EXPECT_EQ(stage.GetPseudoRoot().GetChild("World").path(), "/World");
  EXPECT_EQ(prim.GetChild("Body").path(), "/World/Char/Body");
  const Attribute attribute = prim.GetAttribute("xformOp:translate");
  EXPECT_EQ(attribute.path(), "/World/Char.xformOp:translate");
  EXPECT_EQ(attribute.name(), "xformOp:translate");
  EXPECT_EQ(attribute.prim_path(), "/World/Char");
}

TEST_F(StageTest, ItemsOutsideOfABatchAreOutOfRange) {
  const absl::StatusOr<Values> values = Open().GetValues({"/A.x"}, 1);
  EXPECT_EQ(values->Get(1, 0).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(values->Get(0, 1).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(*values->GetNumbers(0), std::vector<double>{0.5});
}

}  // namespace
}  // namespace stagedoor::sdk
