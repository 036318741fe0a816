#include "server/listen/listen_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace stagedoor {
namespace {

TEST(ListenAddressTest, ReadsHostsPortsAndPaths) {
  const auto tcp = ListenAddress::Parse("127.0.0.1:50051");
  ASSERT_TRUE(tcp.ok());
  EXPECT_EQ(tcp->host, "127.0.0.1");
  EXPECT_EQ(tcp->port, 50051);
  EXPECT_FALSE(tcp->is_unix());
  const auto six = ListenAddress::Parse("[::1]:0");
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->port, 0);
  EXPECT_EQ(ListenAddress::Parse("unix:/run/x.sock")->socket_path, "/run/x.sock");
  EXPECT_EQ(ListenAddress::Parse("unix:///run/x.sock")->socket_path, "/run/x.sock");
  EXPECT_EQ(ListenAddress::Parse("unix:x.sock")->socket_path, "x.sock");
}

TEST(ListenAddressTest, RefusesOthers) {
  for (const char* text : {"", "host", "host:", "host:65536", "host:-1", "host:1x", ":1", "::1:5",
                           "unix:", "unix://", "[::1", "http://x:1"}) {
    EXPECT_FALSE(ListenAddress::Parse(text).ok()) << text;
  }
}

TEST(ListenAddressTest, SaysWhatIsWrong) {
  const std::string most(107, 's');  // what sockaddr_un has room for
  EXPECT_EQ(ListenAddress::Parse("unix:" + most)->socket_path, most);
  EXPECT_EQ(ListenAddress::Parse("unix://" + most)->socket_path, most);
  const std::string with_nul("unix:a\0b", 8);
  const struct {
    std::string text;
    std::string_view message;
  } kCases[] = {
      {"unix:", "unix: needs a path"},
      {"unix://", "unix: needs a path"},
      {"unix:" + most + "s", "the path of a Unix socket has at most 107 bytes, not 108"},
      {with_nul, "the path of a Unix socket has no NUL"},
      {"host", "it has no :PORT"},
      {":1", "it has no host; 0.0.0.0 stands for all"},
      {"[]:1", "it has no host; 0.0.0.0 stands for all"},
      {"::1:5", "the host is a name or an address; of IPv6 it is [HOST]:PORT"},
      {"[::1:5", "the host is a name or an address; of IPv6 it is [HOST]:PORT"},
      {"::1]:5", "the host is a name or an address; of IPv6 it is [HOST]:PORT"},
      {"[:5", "the host is a name or an address; of IPv6 it is [HOST]:PORT"},
      {"a/b:5", "the host is a name or an address; of IPv6 it is [HOST]:PORT"},
      {"host:", "the port is a number from 0 to 65535"},
      {"host:65536", "the port is a number from 0 to 65535"},
      {"host: 1", "the port is a number from 0 to 65535"},
      {"host:1 ", "the port is a number from 0 to 65535"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = ListenAddress::Parse(c.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_EQ(Message(status), c.message) << c.text;
  }
  EXPECT_EQ(ListenAddress::Parse("host:65535")->port, 65535);
}

TEST(ListenAddressTest, APortThatIsFreeHasNoReason) {
  EXPECT_EQ(ProbeBindError({.socket_path = {}, .host = "127.0.0.1", .port = 0}), "unknown");
}

TEST(ListenAddressTest, AnUnknownHostIsTheReason) {
  EXPECT_EQ(ProbeBindError({.socket_path = {}, .host = "fe80::1%none", .port = 1}),
            ::gai_strerror(EAI_NONAME));
}

TEST(ListenAddressTest, SaysWhyAPortCannotBeHad) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in taken{};
  taken.sin_family = AF_INET;
  taken.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&taken), sizeof(taken)), 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  socklen_t length = sizeof(taken);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&taken), &length);
  ListenAddress address;
  address.host = "127.0.0.1";
  address.port = ntohs(taken.sin_port);
  EXPECT_EQ(ProbeBindError(address), "Address already in use");
  ::close(fd);
  address.host = "203.0.113.7";  // of a network for documentation: nobody's
  EXPECT_EQ(ProbeBindError(address), "Cannot assign requested address");
}

}  // namespace
}  // namespace stagedoor
