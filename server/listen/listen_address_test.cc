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

namespace stagedoor::server {
namespace {

TEST(ListenAddressTest, ParsesHostsPortsAndPaths) {
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

TEST(ListenAddressTest, RejectsOtherTexts) {
  for (const char* text : {"", "host", "host:", "host:65536", "host:-1", "host:1x", ":1", "::1:5",
                           "unix:", "unix://", "[::1", "http://x:1"}) {
    EXPECT_FALSE(ListenAddress::Parse(text).ok()) << text;
  }
}

TEST(ListenAddressTest, ErrorsStateTheReason) {
  const std::string most(107, 's');  // the maximum for sockaddr_un
  EXPECT_EQ(ListenAddress::Parse("unix:" + most)->socket_path, most);
  EXPECT_EQ(ListenAddress::Parse("unix://" + most)->socket_path, most);
  const std::string with_nul("unix:a\0b", 8);
  const struct {
    std::string text;
    std::string_view message;
  } kCases[] = {
      {"unix:", "unix: must be followed by a path"},
      {"unix://", "unix: must be followed by a path"},
      {"unix:" + most + "s", "the path of a Unix socket must have at most 107 bytes, not 108"},
      {with_nul, "the path of a Unix socket must not contain NUL"},
      {"host", ":PORT is missing"},
      {":1", "the host is missing; use 0.0.0.0 for all interfaces"},
      {"[]:1", "the host is missing; use 0.0.0.0 for all interfaces"},
      {"::1:5", "the host must be a name or an address; write IPv6 as [HOST]:PORT"},
      {"[::1:5", "the host must be a name or an address; write IPv6 as [HOST]:PORT"},
      {"::1]:5", "the host must be a name or an address; write IPv6 as [HOST]:PORT"},
      {"[:5", "the host must be a name or an address; write IPv6 as [HOST]:PORT"},
      {"a/b:5", "the host must be a name or an address; write IPv6 as [HOST]:PORT"},
      {"host:", "the port must be a number from 0 to 65535"},
      {"host:65536", "the port must be a number from 0 to 65535"},
      {"host: 1", "the port must be a number from 0 to 65535"},
      {"host:1 ", "the port must be a number from 0 to 65535"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = ListenAddress::Parse(c.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_EQ(Message(status), c.message) << c.text;
  }
  EXPECT_EQ(ListenAddress::Parse("host:65535")->port, 65535);
}

TEST(ListenAddressTest, LocalAddressesCannotBeReachedFromOtherMachines) {
  for (const char* text : {"unix:/run/x", "localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
    EXPECT_TRUE(ListenAddress::Parse(text)->is_local()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "128.0.0.1:1", "node7:1",
                           "localhost.evil.com:1", "[::ffff:10.0.0.1]:1"}) {
    EXPECT_FALSE(ListenAddress::Parse(text)->is_local()) << text;
  }
}

}  // namespace
}  // namespace stagedoor::server
