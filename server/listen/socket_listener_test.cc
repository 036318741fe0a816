#include "server/listen/socket_listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/system_call_hook.h"

namespace stagedoor::server {
namespace {

int ConnectTo(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

using SocketCall = int (*)(int fd, const sockaddr*, socklen_t);

// Whether ::bind or ::connect succeeds for a port of the IPv6 loopback address.
bool SucceedsOnIpv6(SocketCall call, uint16_t port) {
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(port);
  const bool success = call(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(fd);
  return success;
}

std::string Error(const ListenAddress& address) {
  return std::string(Message(SocketListener::Listen(address, nullptr).status()));
}

TEST(SocketListenerTest, PassesOnTcpConnections) {
  std::promise<int> accepted;
  const auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0},
                                               [&](int fd) { accepted.set_value(fd); });
  ASSERT_TRUE(listener.ok()) << listener.status();
  ASSERT_NE((*listener)->port(), 0);
  const int client = ConnectTo((*listener)->port());
  const int fd = accepted.get_future().get();
  int prompt = 0;
  socklen_t size = sizeof(prompt);
  EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &prompt, &size), 0);
  EXPECT_NE(prompt, 0);
  ASSERT_EQ(::send(client, "x", 1, 0), 1);
  pollfd readable{.fd = fd, .events = POLLIN};
  ASSERT_EQ(::poll(&readable, 1, 30000), 1);
  char byte = 0;
  EXPECT_EQ(::recv(fd, &byte, 1, 0), 1);
  EXPECT_LT(::recv(fd, &byte, 1, 0), 0) << "does not block";
  ::close(client);
  ::close(fd);
}

TEST(SocketListenerTest, AllAddressesOfANameGetOnePort) {
  const auto listener = SocketListener::Listen({.host = "localhost", .port = 0}, ::close);
  ASSERT_TRUE(listener.ok()) << listener.status();
  ::close(ConnectTo((*listener)->port()));
}

TEST(SocketListenerTest, ListensOnIpv6) {
  if (!SucceedsOnIpv6(::bind, 0)) GTEST_SKIP() << "this machine has no IPv6";
  const auto loopback = SocketListener::Listen({.host = "::1", .port = 0}, ::close);
  ASSERT_TRUE(loopback.ok()) << loopback.status();
  ASSERT_NE((*loopback)->port(), 0);
  EXPECT_TRUE(SucceedsOnIpv6(::connect, (*loopback)->port()));
  // That of all interfaces takes connections over IPv4 as well.
  const auto all = SocketListener::Listen({.host = "::", .port = 0}, ::close);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_TRUE(SucceedsOnIpv6(::connect, (*all)->port()));
  ::close(ConnectTo((*all)->port()));
}

TEST(SocketListenerTest, PassesOnConnectionsOfUnixSockets) {
  const std::string path = "/tmp/socket_listener_test." + std::to_string(::getpid());
  std::promise<int> accepted;
  auto listener =
      SocketListener::Listen({.socket_path = path}, [&](int fd) { accepted.set_value(fd); });
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_EQ((*listener)->port(), 0);
  const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(accepted.get_future().get());
  ::close(client);
  listener->reset();
  EXPECT_EQ(Error({.socket_path = path}), "Address already in use") << "the socket is not removed";
  ::unlink(path.c_str());
}

TEST(SocketListenerTest, ErrorsStateTheReason) {
  const auto taken = SocketListener::Listen({.host = "127.0.0.1", .port = 0}, ::close);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(Error({.host = "127.0.0.1", .port = (*taken)->port()}), "Address already in use");
  EXPECT_EQ(Error({.host = "localhost", .port = (*taken)->port()}), "Address already in use")
      << "all addresses of a name must be free";
  // Reserved for documentation, so never local.
  EXPECT_EQ(Error({.host = "203.0.113.7", .port = 0}), "Cannot assign requested address");
  EXPECT_EQ(Error({.host = "fe80::1%none", .port = 1}), ::gai_strerror(EAI_NONAME));
  EXPECT_EQ(Error({.socket_path = "/none/x"}), "No such file or directory");
  EXPECT_EQ(Error({.socket_path = std::string(200, 'x')}), "File name too long");
}

TEST(SocketListenerTest, FailuresOfTheSystemAreErrors) {
  for (const char* call : {"socket", "eventfd", "listen"}) {
    const SystemCallHook hook(call, Fail(EMFILE));
    EXPECT_EQ(Error({.host = "127.0.0.1", .port = 0}), "Too many open files") << call;
  }
  const SystemCallHook none("socket", Fail(EAFNOSUPPORT));
  const absl::Status status =
      SocketListener::Listen({.host = "127.0.0.1", .port = 0}, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_EQ(Error({.host = "localhost", .port = 0}), "Address family not supported by protocol")
      << "none of its addresses can be used";
}

// "::1" for "localhost" on a machine without IPv6, for example.
TEST(SocketListenerTest, AddressesThatTheMachineLacksAreLeftOut) {
  std::optional<SystemCallHook> lacks(std::in_place, "socket", Fail(EAFNOSUPPORT, 1, 1));
  const auto listener = SocketListener::Listen({.host = "localhost", .port = 0}, ::close);
  ASSERT_TRUE(listener.ok()) << listener.status();
  lacks.reset();  // before the client's socket
  ::close(ConnectTo((*listener)->port()));
}

// "[::]" means all addresses of the machine, which may have none of IPv6.
TEST(SocketListenerTest, AllAddressesAreThoseOfIpv4WithoutIpv6) {
  std::optional<SystemCallHook> lacks(std::in_place, "socket", Fail(EAFNOSUPPORT, 1));
  const auto listener = SocketListener::Listen({.host = "::", .port = 0}, ::close);
  lacks.reset();  // before the client's socket
  ASSERT_TRUE(listener.ok()) << listener.status();
  ::close(ConnectTo((*listener)->port()));
}

// The port that the system chose for the first address of a name may be taken for the second.
TEST(SocketListenerTest, ChoosesAnotherPortIfOneIsTaken) {
  const SystemCallHook taken("listen", Fail(EADDRINUSE, 3));
  const auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0}, ::close);
  ASSERT_TRUE(listener.ok()) << listener.status();
  ::close(ConnectTo((*listener)->port()));
}

TEST(SocketListenerTest, AcceptsTheNextConnectionAfterOneThatIsGone) {
  std::promise<int> accepted;
  const SystemCallHook gone("accept4", Fail(ECONNABORTED, 1));
  const auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0},
                                               [&](int fd) { accepted.set_value(fd); });
  ASSERT_TRUE(listener.ok()) << listener.status();
  const int client = ConnectTo((*listener)->port());
  ::close(accepted.get_future().get());
  ::close(client);
}

TEST(SocketListenerTest, TriesAgainWithoutMemoryOrDescriptors) {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
    std::promise<int> accepted;
    const SystemCallHook exhausted("accept4", Fail(error, 1));
    const auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0},
                                                 [&](int fd) { accepted.set_value(fd); });
    ASSERT_TRUE(listener.ok()) << listener.status();
    const int client = ConnectTo((*listener)->port());
    ::close(accepted.get_future().get());
    ::close(client);
  }
}

TEST(SocketListenerTest, StopsWhileItWaitsForDescriptors) {
  std::promise<void> tried;
  std::atomic<bool> once{false};
  const SystemCallHook exhausted("accept4", [&] {
    if (!once.exchange(true)) tried.set_value();
    return EMFILE;
  });
  auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0}, ::close);
  ASSERT_TRUE(listener.ok()) << listener.status();
  const int client = ConnectTo((*listener)->port());
  tried.get_future().get();
  listener->reset();
  ::close(client);
}

TEST(SocketListenerTest, AConnectionWhoseClientDoesNotReadIsClosed) {
  std::promise<int> accepted;
  const auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0},
                                               [&](int fd) { accepted.set_value(fd); });
  ASSERT_TRUE(listener.ok()) << listener.status();
  const int client = ConnectTo((*listener)->port());
  const int fd = accepted.get_future().get();
  SocketListener::CloseIfStalled(fd, std::chrono::milliseconds(100));
  const std::string much(1 << 20, 'x');
  while (::send(fd, much.data(), much.size(), MSG_NOSIGNAL) > 0) {
  }
  pollfd broken{.fd = fd, .events = 0};
  EXPECT_EQ(::poll(&broken, 1, 60000), 1);
  EXPECT_NE(broken.revents & POLLERR, 0);
  ::close(client);
  ::close(fd);
}

// gRPC's own listener does not.
TEST(SocketListenerTest, AcceptsAgainAfterAllDescriptorsWereInUse) {
  std::vector<std::promise<int>> accepted(2);
  size_t next = 0;
  const auto listener = SocketListener::Listen({.host = "127.0.0.1", .port = 0},
                                               [&](int fd) { accepted[next++].set_value(fd); });
  ASSERT_TRUE(listener.ok()) << listener.status();
  const int first = ConnectTo((*listener)->port());
  ::close(accepted[0].get_future().get());
  const int second = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((*listener)->port());
  // The system accepts it for the listener, which cannot take it.
  EXPECT_EQ(::connect(second, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  auto taken = accepted[1].get_future();
  EXPECT_EQ(taken.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ::close(taken.get());
  ::close(first);
  ::close(second);
}

}  // namespace
}  // namespace stagedoor::server
