// Daemons whose hosts hang: connections stay, and nothing comes.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/cc/error_reason.h"
#include "client/sdk/stage.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

using std::chrono::milliseconds;
using FailoverTest = FakeDaemonTest;

constexpr milliseconds kLong(50);  // failover_after
constexpr milliseconds kShort(10);

// A socket that accepts connections, and never answers.
class SilentSocket {
 public:
  SilentSocket() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~SilentSocket() { close(fd_); }
  SilentSocket(const SilentSocket&) = delete;
  SilentSocket& operator=(const SilentSocket&) = delete;

  std::string address() const { return Concat("127.0.0.1:", port_); }

 private:
  const int fd_;
  int port_ = 0;
};

TEST_F(FailoverTest, AStageIsOpenedWithTheDaemonThatAnswers) {
  const SilentSocket silent;
  FakeDaemon daemon("third");
  int port = 0;
  const std::unique_ptr<grpc::Server> server = daemon.Serve(&port);
  ConnectionOptions options;
  options.addresses = {silent.address(), Concat("127.0.0.1:", port)};
  const absl::StatusOr<Stage> stage = Stage::Open(Connection::Connect(options), "/root.usda");
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_EQ(*Read(*stage), 0.5);
}

TEST_F(FailoverTest, ADaemonThatDoesNotAnswerIsLeft) {
  const Stage stage = Open();
  const Stage other = Open();
  first_.Hold();
  EXPECT_EQ(Read(stage, {.timeout = kLong}).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(second_.opened().size(), 1u);
  EXPECT_EQ(*Read(other), 0.5) << "other stages do not ask it either";
  EXPECT_EQ(second_.opened().size(), 2u);
}

TEST_F(FailoverTest, SoDoCallsThatDoNotWait) {
  const Stage stage = Open();
  first_.Hold();
  const Attribute attribute = stage.GetAttributeAtPath("/A.x");
  // Clang 14 cannot choose between the overloads for a braced list.
  const CallOptions call = {.timeout = kLong};
  EXPECT_EQ(attribute.GetAsync<double>(1, call).get().status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(*attribute.GetAsync<double>(1).get(), 0.5);
  EXPECT_EQ(second_.opened().size(), 1u);
}

TEST_F(FailoverTest, ADaemonIsNotLeftForAShortDeadline) {
  const Stage stage = Open();
  first_.Hold();
  EXPECT_EQ(Read(stage, {.timeout = kShort}).status().code(), absl::StatusCode::kDeadlineExceeded);
  first_.Release();
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_TRUE(second_.opened().empty());
}

TEST_F(FailoverTest, ADaemonThatSaysThatTheDeadlineHasPassedIsNotLeft) {
  const Stage stage = Open();
  first_.Refuse(Refusal(grpc::StatusCode::DEADLINE_EXCEEDED, "ASSET_TIMEOUT"));
  EXPECT_EQ(Read(stage).status().code(), absl::StatusCode::kDeadlineExceeded);
  first_.Refuse(grpc::Status::OK);
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_TRUE(second_.opened().empty());
}

TEST_F(FailoverTest, TheOnlyDaemonIsNotLeft) {
  std::vector<std::unique_ptr<Client>> clients;
  clients.push_back(Client::FromChannel(servers_[0]->InProcessChannel({}), {}));
  ConnectionOptions options;
  options.failover_after = kLong;
  const Stage stage =
      Stage::Open(Connection::FromClients(std::move(clients), options), "/root.usda").value();
  first_.Hold();
  EXPECT_EQ(Read(stage, {.timeout = kLong}).status().code(), absl::StatusCode::kDeadlineExceeded);
  first_.Release();
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(first_.opened().size(), 1u);
}

TEST_F(FailoverTest, AnEditedSessionWithANameStays) {
  const Stage stage = Open({.session = "shared"});
  ASSERT_TRUE(stage.SetSessionLayer("#usda 1.0\n").ok());
  first_.Hold();
  EXPECT_EQ(Read(stage, {.timeout = kLong}).status().code(), absl::StatusCode::kDeadlineExceeded);
  first_.Release();
  EXPECT_EQ(*Read(stage), 0.5) << "it was only slow";
  EXPECT_TRUE(second_.opened().empty());
}

TEST_F(FailoverTest, ADaemonThatAnswersAgainIsUsedAgain) {
  const Stage stage = Open();
  first_.Hold();
  EXPECT_FALSE(Read(stage, {.timeout = kLong}).ok());
  EXPECT_TRUE(Read(stage).ok());
  second_.unreachable = true;
  first_.Release();
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(*Read(stage), 0.5);
  EXPECT_EQ(first_.opened().size(), 2u);
}

}  // namespace
}  // namespace stagedoor::sdk
