#include "resolver/access/network_policy.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

IpAddress Address(std::string_view text) {
  const auto address = IpAddress::Parse(text);
  EXPECT_TRUE(address.has_value()) << text;
  return address.value_or(IpAddress());
}

TEST(NetworkPolicyTest, AllowsPublicAddressesOnly) {
  for (const std::string_view text :
       {"1.1.1.1", "8.8.8.8", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "198.17.0.1", "223.255.255.255",
        "2606:4700::1111", "2a00::1", "2001:200::1", "64:ff9b::8.8.8.8", "2002:808:808::1",
        "::ffff:8.8.8.8"}) {
    EXPECT_TRUE(NetworkPolicy().Allows(Address(text))) << text;
  }
  for (const std::string_view text : {"0.0.0.0",
                                      "0.1.2.3",
                                      "10.0.0.1",
                                      "100.64.0.1",
                                      "100.127.255.255",
                                      "127.0.0.1",
                                      "127.255.255.255",
                                      "169.254.169.254",
                                      "172.16.0.1",
                                      "172.31.255.255",
                                      "192.0.0.8",
                                      "192.0.2.1",
                                      "192.88.99.1",
                                      "192.168.1.1",
                                      "198.18.0.1",
                                      "198.19.255.255",
                                      "198.51.100.1",
                                      "203.0.113.1",
                                      "224.0.0.1",
                                      "239.1.1.1",
                                      "240.0.0.1",
                                      "255.255.255.255",
                                      "::",
                                      "::1",
                                      "::127.0.0.1",
                                      "::8.8.8.8",
                                      "::ffff:127.0.0.1",
                                      "::ffff:a9fe:a9fe",
                                      "::ffff:0:127.0.0.1",
                                      "64:ff9b::127.0.0.1",
                                      "64:ff9b::10.0.0.1",
                                      "64:ff9b:1::8.8.8.8",
                                      "2002:7f00:1::",
                                      "2002:a00:1::1",
                                      "2002:c0a8:101::1",
                                      "2001::1",
                                      "2001:2::1",
                                      "2001:db8::1",
                                      "3fff::1",
                                      "fc00::1",
                                      "fd12:3456::1",
                                      "fe80::1",
                                      "fec0::1",
                                      "ff02::1",
                                      "100::1",
                                      "4000::1"}) {
    EXPECT_FALSE(NetworkPolicy().Allows(Address(text))) << text;
  }
}

TEST(NetworkPolicyTest, AllowsListedNetworks) {
  const auto policy = NetworkPolicy::Parse(
      std::vector<std::string>{"10.1.0.0/16", "127.0.0.1", "fd00::/9", "192.168.4.0/22"});
  ASSERT_TRUE(policy.ok()) << policy.status();
  for (const std::string_view text :
       {"10.1.255.1", "::ffff:10.1.0.1", "127.0.0.1", "fd12::1", "192.168.7.255", "8.8.8.8"}) {
    EXPECT_TRUE(policy->Allows(Address(text))) << text;
  }
  for (const std::string_view text :
       {"10.2.0.1", "127.0.0.2", "fd80::1", "::1", "192.168.8.0", "64:ff9b::10.1.0.1"}) {
    EXPECT_FALSE(policy->Allows(Address(text))) << text;
  }
  // IPv4 addresses are not below an IPv6 network that only looks like them.
  const auto v6 = NetworkPolicy::Parse(std::vector<std::string>{"::/1"});
  EXPECT_TRUE(v6->Allows(Address("::1")));
}

TEST(NetworkPolicyTest, RejectsWrongNetworks) {
  for (const std::string text : {"", "10.1/16", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1",
                                 "fd00::/129", "localhost", "10.0.0.0/8x", "010.0.0.1", "[::1]"}) {
    EXPECT_EQ(NetworkPolicy::Parse(std::vector<std::string>{text}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace stagedoor
