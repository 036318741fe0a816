#include "server/access/unix_peers.h"

#include <fcntl.h>
#include <grp.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/listen/socket_listener.h"

namespace stagedoor::server {
namespace {

// Answers each call with an error that says who called.
class WhoService : public grpc::CallbackGenericService {
  class Reactor : public grpc::ServerGenericBidiReactor {
    void OnDone() override { delete this; }
  };
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const auto credentials = UnixPeers::Of(*context->auth_context());
    std::string who = credentials ? SocketIdentity(*credentials)->name : "unknown";
    if (credentials) who += Concat(" of ", Join(credentials->gids, ","));
    auto* reactor = new Reactor();
    reactor->Finish(grpc::Status(grpc::StatusCode::NOT_FOUND, who));
    return reactor;
  }
};

std::string Call(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  // A client cannot claim to be somebody by metadata.
  context.AddMetadata("stagedoor_unix_peer", "0 0");
  const grpc::Slice slice("x");
  const auto call = stub.PrepareUnaryCall(&context, "/a/b", grpc::ByteBuffer(&slice, 1), &queue);
  grpc::ByteBuffer response;
  grpc::Status status;
  void* tag = nullptr;
  bool ok = false;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  queue.Next(&tag, &ok);
  return status.error_message();
}

class UnixPeersTest : public ::testing::Test {
 protected:
  static constexpr size_t kAcceptors = 8;

  UnixPeersTest() {
    builder_.RegisterCallbackGenericService(&service_);
    peers_.emplace(builder_, kAcceptors);
    server_ = builder_.BuildAndStart();
  }
  ~UnixPeersTest() override { server_->Shutdown(); }

  // A client at the other end of a connection with the credentials.
  std::shared_ptr<grpc::Channel> Connect(const std::optional<SocketCredentials>& credentials,
                                         absl::Status* status = nullptr) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    const absl::Status served = peers_->Serve(ends[0], credentials);
    if (status != nullptr) {
      *status = served;
    } else {
      EXPECT_TRUE(served.ok()) << served;
    }
    return grpc::CreateInsecureChannelFromFd("client", ends[1]);
  }

  WhoService service_;
  grpc::ServerBuilder builder_;
  std::optional<UnixPeers> peers_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(UnixPeersTest, EachCallKnowsItsUser) {
  const auto alice = Connect(SocketCredentials{.uid = 1000, .gids = {100, 27}});
  const auto bob = Connect(SocketCredentials{.uid = 1001, .gids = {100}});
  const auto alice_again = Connect(SocketCredentials{.uid = 1000, .gids = {100, 27}});
  const auto alice_in_another_group = Connect(SocketCredentials{.uid = 1000, .gids = {27, 100}});
  const auto root = Connect(SocketCredentials{.uid = 0});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Call(alice), "uid:1000 of 100,27");
    EXPECT_EQ(Call(bob), "uid:1001 of 100");
    EXPECT_EQ(Call(alice_again), "uid:1000 of 100,27");
    EXPECT_EQ(Call(alice_in_another_group), "uid:1000 of 27,100");
    EXPECT_EQ(Call(root), "uid:0 of ");
  }
}

TEST_F(UnixPeersTest, AReusedDescriptorDoesNotChangeTheUser) {
  for (uint32_t uid = 0; uid < kAcceptors; ++uid) {
    EXPECT_EQ(Call(Connect(SocketCredentials{.uid = uid})), Concat("uid:", uid, " of "));
  }
}

TEST_F(UnixPeersTest, FirstCallsMayComeAtTheSameTime) {
  const auto channel = Connect(SocketCredentials{.uid = 7, .gids = {8}});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&channel] { EXPECT_EQ(Call(channel), "uid:7 of 8"); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(UnixPeersTest, WithoutAnAcceptorTheUserIsUnknown) {
  for (uint32_t uid = 0; uid < kAcceptors; ++uid) Connect(SocketCredentials{.uid = uid});
  absl::Status status;
  const auto late = Connect(SocketCredentials{.uid = 1000}, &status);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(status),
            "too many different users or groups of users connected to the Unix socket; uid 1000 is "
            "anonymous");
  EXPECT_EQ(Call(late), "unknown");
  EXPECT_EQ(Call(Connect(SocketCredentials{.uid = 3})), "uid:3 of ");
  EXPECT_EQ(Call(Connect(std::nullopt, &status)), "unknown");
  EXPECT_EQ(Message(status),
            "a user at the other end of the Unix socket is not known, and therefore anonymous");
}

TEST_F(UnixPeersTest, AUserCannotTakeAllAcceptors) {
  for (uint32_t gid = 0; gid < UnixPeers::kMaxAcceptorsPerUser; ++gid) {
    Connect(SocketCredentials{.uid = 1000, .gids = {gid}});
  }
  absl::Status status;
  EXPECT_EQ(Call(Connect(SocketCredentials{.uid = 1000, .gids = {99}}, &status)), "unknown");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Call(Connect(SocketCredentials{.uid = 1001})), "uid:1001 of ");
}

TEST_F(UnixPeersTest, ServesASocketOfTheFileSystem) {
  const std::string path = Concat("/tmp/unix_peers_test.", int64_t{::getpid()});
  auto listener = SocketListener::Listen({.socket_path = path}, [this](int fd) {
    const auto credentials = ReadSocketCredentials(fd);
    EXPECT_TRUE(credentials.ok()) << credentials.status();
    EXPECT_TRUE(peers_->Serve(fd, *credentials).ok());
  });
  ASSERT_TRUE(listener.ok()) << listener.status();
  const std::string expected = Concat("uid:", ::getuid(), " of ", ::getgid());
  const auto channel =
      grpc::CreateChannel(Concat("unix:", path), grpc::InsecureChannelCredentials());
  EXPECT_EQ(Call(channel).substr(0, expected.size()), expected);
  listener->reset();
  EXPECT_EQ(SocketListener::Listen({.socket_path = path}, nullptr).status().code(),
            absl::StatusCode::kUnavailable)
      << "the socket exists";
  ::unlink(path.c_str());
}

TEST_F(UnixPeersTest, NamesThatClientsGiveTheirSocketsDoNotMatter) {
  const std::string path = Concat("/tmp/unix_peers_test.", int64_t{::getpid()}, ".names");
  auto listener = SocketListener::Listen({.socket_path = path}, [this](int fd) {
    EXPECT_TRUE(peers_->Serve(fd, SocketCredentials{.uid = 7}).ok());
  });
  ASSERT_TRUE(listener.ok()) << listener.status();
  // Names are those of the machine, so that tests at the same time must not share one.
  const std::string pid = Concat(";", int64_t{::getpid()});
  for (const std::string& name :
       {std::string("\0\xff\n%5B:?#", 9) + pid, std::string("\0uid:0", 6) + pid, std::string()}) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{.sun_family = AF_UNIX};
    std::memcpy(address.sun_path, name.data(), name.size());
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), bytes), 0);
    sockaddr_un server{.sun_family = AF_UNIX};
    std::memcpy(server.sun_path, path.data(), path.size());
    ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof(server)), 0);
    ASSERT_EQ(::fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(Call(grpc::CreateInsecureChannelFromFd("client", fd)), "uid:7 of ") << name;
  }
  ::unlink(path.c_str());
}

TEST(ReadSocketCredentialsTest, AreThoseOfTheProcess) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto credentials = ReadSocketCredentials(ends[0]);
  ASSERT_TRUE(credentials.ok()) << credentials.status();
  EXPECT_EQ(credentials->uid, ::getuid());
  ASSERT_FALSE(credentials->gids.empty());
  EXPECT_EQ(credentials->gids[0], ::getgid());
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(ReadSocketCredentials(-1).status().code(), absl::StatusCode::kUnauthenticated);
  const int tcp = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(ReadSocketCredentials(tcp).status().code(), absl::StatusCode::kUnauthenticated);
  ::close(tcp);
}

TEST(ReadSocketCredentialsTest, ReadsAllGroupsOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<gid_t> groups;
    for (gid_t gid = 2000; gid < 2100; ++gid) groups.push_back(gid);
    int ends[2];
    const bool connected = ::setgroups(groups.size(), groups.data()) == 0 && ::setgid(2050) == 0 &&
                           ::setuid(1234) == 0 && ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
    const auto credentials = ReadSocketCredentials(connected ? ends[0] : -1);
    const bool right = credentials.ok() && credentials->uid == 1234 &&
                       credentials->gids.size() == 100 && credentials->gids[0] == 2050 &&
                       credentials->gids[1] == 2000 && credentials->gids[99] == 2099;
    ::_exit(right ? 0 : 1);
  }
  int result = -1;
  ASSERT_EQ(::waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace stagedoor::server
