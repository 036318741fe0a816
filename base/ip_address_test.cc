#include "base/ip_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <string>
#include <utility>

namespace stagedoor {
namespace {

TEST(IpAddressTest, ParsesTheUsualForms) {
  const std::pair<const char*, const char*> kCases[] = {{"10.0.0.7", "10.0.0.7"},
                                                        {"::1", "::1"},
                                                        {"2001:DB8:0:0::1", "2001:db8::1"},
                                                        {"::ffff:10.0.0.7", "10.0.0.7"}};
  for (const auto& [text, usual] : kCases) {
    const auto address = IpAddress::Parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->ToString(), usual);
  }
  for (const char* text :
       {"", "10.0.0", "10.0.0.256", "[::1]", "fe80::1%eth0", "host", "1::2::3"}) {
    EXPECT_FALSE(IpAddress::Parse(text).has_value()) << text;
  }
}

TEST(IpAddressTest, ClientsShareByIpv4AddressAndIpv6Network) {
  const auto share = [](const char* text) { return IpAddress::Parse(text)->ToShare(); };
  EXPECT_EQ(share("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(share("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(share("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(share("2001:db8:1:2:ffff::"), "2001:db8:1:2::/64");
  EXPECT_EQ(share("2001:db8:1:3::1"), "2001:db8:1:3::/64");
}

TEST(IpAddressTest, NetworksContainAddressesOfTheirFamily) {
  const auto within = [](const char* address, const char* network, int bits) {
    return IpAddress::Parse(address)->Within(*IpAddress::Parse(network), bits);
  };
  EXPECT_TRUE(within("10.0.0.7", "10.0.0.0", 24));
  EXPECT_FALSE(within("10.0.1.7", "10.0.0.0", 24));
  EXPECT_TRUE(within("10.0.0.7", "10.0.0.4", 30));
  EXPECT_FALSE(within("10.0.0.8", "10.0.0.4", 30));
  EXPECT_TRUE(within("10.0.0.7", "0.0.0.0", 0));
  EXPECT_TRUE(within("10.0.0.7", "10.0.0.7", 32));
  EXPECT_FALSE(within("10.0.0.6", "10.0.0.7", 32));
  EXPECT_FALSE(within("2001:db8::1", "0.0.0.0", 0)) << "not an IPv4 address";
  EXPECT_TRUE(within("::ffff:10.0.0.7", "10.0.0.0", 8));
  EXPECT_TRUE(within("2001:db8::1", "2001:db8::", 32));
  EXPECT_FALSE(within("2001:db9::1", "2001:db8::", 32));
}

TEST(IpAddressTest, ReadsSocketAddresses) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x7f000001);
  EXPECT_EQ(IpAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&v4))->ToString(), "127.0.0.1");
  v4.sin_addr.s_addr = htonl(0x0a010203);
  EXPECT_EQ(IpAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&v4))->ToString(), "10.1.2.3");
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  EXPECT_EQ(IpAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&v6))->ToString(), "::1");
  ASSERT_EQ(::inet_pton(AF_INET6, "2001:db8::5", &v6.sin6_addr), 1);
  EXPECT_EQ(IpAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&v6))->ToString(), "2001:db8::5");
  v6.sin6_family = AF_UNIX;
  EXPECT_FALSE(IpAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&v6)).has_value());
  EXPECT_FALSE(IpAddress::OfPeer(-1).has_value());
}

TEST(IsLoopbackHostTest, KnowsNamesAndAddresses) {
  for (const char* host :
       {"localhost", "127.0.0.1", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "10.0.0.1", "128.0.0.1", "::", "::2", "127.0.0.1.evil",
                           "localhost.evil", "[::1]", "127.1", "::ffff:10.0.0.1"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

}  // namespace
}  // namespace stagedoor
