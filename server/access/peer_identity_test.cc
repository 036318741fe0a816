#include "server/access/peer_identity.h"

#include <string>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/access/identity_text.h"

namespace stagedoor::server {
namespace {

TEST(PeerAddressTest, ParsesWhatGrpcCallsThePeer) {
  const struct {
    std::string_view peer, text;
    bool on_this_machine;
  } kCases[] = {
      {"ipv4:127.0.0.1:1234", "127.0.0.1", true},
      {"ipv4:127.9.9.9:1", "127.9.9.9", true},
      {"ipv4:10.0.0.1:1234", "10.0.0.1", false},
      {"ipv4:128.0.0.1:1234", "128.0.0.1", false},
      {"ipv6:%5B::1%5D:1234", "::1", true},
      {"ipv6:[::1]:1234", "::1", true},
      {"ipv6:[0:0:0:0:0:0:0:1]:1", "::1", true},
      {"ipv6:%5b2001:DB8::7%5d:1234", "2001:db8::7", false},
      {"ipv6:%5Bfe80::1%25eth0%5D:1", "fe80::1", false},
      {"ipv6:[::ffff:127.0.0.1]:1", "127.0.0.1", true},
      {"ipv6:[::ffff:10.0.0.1]:1", "10.0.0.1", false},
      {"unix:", "unix", true},
      {"unix:/run/stagedoor", "unix", true},
      {"unix-abstract:x", "unix", true},
  };
  for (const auto& c : kCases) {
    const PeerAddress address = PeerAddress::Parse(c.peer);
    EXPECT_EQ(address.text, c.text) << c.peer;
    EXPECT_EQ(address.on_this_machine, c.on_this_machine) << c.peer;
  }
}

TEST(PeerAddressTest, AnIpv6NetworkHasOneShare) {
  const auto share = [](std::string_view peer) { return PeerAddress::Parse(peer).share; };
  EXPECT_EQ(share("ipv6:[2001:db8:1:2:3:4:5:6]:1"), "2001:db8:1:2::/64");
  EXPECT_EQ(share("ipv6:[2001:db8:1:2:ffff::]:2"), "2001:db8:1:2::/64");
  EXPECT_EQ(share("ipv6:[2001:db8:1:3::1]:1"), "2001:db8:1:3::/64");
  EXPECT_EQ(share("ipv6:[::1]:1"), "::/64");
  EXPECT_EQ(share("ipv6:[::ffff:10.0.0.7]:1"), "10.0.0.7");
  EXPECT_EQ(share("ipv4:10.0.0.7:1"), "10.0.0.7");
  EXPECT_EQ(share("unix:/x"), "unix");
  EXPECT_EQ(share("x"), "'x'");
}

TEST(PeerAddressTest, WhatIsNotUnderstoodIsElsewhere) {
  for (const std::string_view peer :
       {"", "ipv4:", "ipv4:127.0.0.1", "ipv4:127.0.0.1:x", "ipv4:127.0.0.1:99999", "ipv4:127.1:1",
        "ipv4:127.0.0.1.evil:1", "ipv6:::1:1", "ipv6:[::1:1", "ipv6:[::1]", "ipv6:[]:1",
        "ipv4:[::1]:1", "ipv4:::1:1", "ipv6:[127.0.0.1]:1", "tcp:127.0.0.1:1", "127.0.0.1:1",
        "ipv4:127.0.0.1%00:1", "UNIX:/x"}) {
    const PeerAddress address = PeerAddress::Parse(peer);
    EXPECT_FALSE(address.on_this_machine) << peer;
    EXPECT_EQ(address.text, Quoted(peer)) << peer;
  }
  EXPECT_EQ(PeerAddress::Parse("a\nb").text, "'a\\nb'");
  EXPECT_LT(PeerAddress::Parse(std::string(10000, 'x')).text.size(), 150u);
}

TEST(CertificateIdentityTest, IsTheFirstAlternativeName) {
  const auto identity = CertificateIdentity(
      std::vector<std::string>{"node7.farm.studio.com", "spiffe://studio/farm/7"}, "ignored");
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(*identity, (Identity{.method = Identity::Method::kCertificate,
                                 .name = "certificate:node7.farm.studio.com",
                                 .aliases = {"certificate:spiffe://studio/farm/7"}}));
  const auto common = CertificateIdentity({}, "node8");
  ASSERT_TRUE(common.ok()) << common.status();
  EXPECT_EQ(common->name, "certificate:node8");
  EXPECT_TRUE(common->aliases.empty());
}

TEST(CertificateIdentityTest, RefusesNamesThatCanBeReadInTwoWays) {
  using Names = std::vector<std::string>;
  const std::string nul("node7.studio.com\0.evil.com", 26);
  for (const Names& names : {Names{nul}, Names{"good", nul}, Names{""}, Names{"a\nb"},
                             Names{"\xff"}, Names{std::string(kMaxIdentityTextBytes + 1, 'a')}}) {
    const auto identity = CertificateIdentity(names, "good");
    EXPECT_EQ(identity.status().code(), absl::StatusCode::kUnauthenticated);
    EXPECT_EQ(Message(identity.status()).find('\n'), std::string_view::npos);
  }
  EXPECT_FALSE(CertificateIdentity({}, nul).ok());
  EXPECT_EQ(Message(CertificateIdentity({}, "").status()), "the client certificate has no name");
  EXPECT_TRUE(CertificateIdentity(Names(257, "a"), "").ok());
  EXPECT_EQ(Message(CertificateIdentity(Names(258, "a"), "").status()),
            "the client certificate has more than 257 names");
}

TEST(SocketIdentityTest, IsTheUser) {
  const auto identity = SocketIdentity({.uid = 1000, .gids = {100, 27, 100}});
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(*identity, (Identity{.method = Identity::Method::kPeer,
                                 .name = "uid:1000",
                                 .aliases = {"gid:100", "gid:27"}}));
  EXPECT_EQ(SocketIdentity({.uid = 0, .gids = {0}})->name, "uid:0");
  EXPECT_EQ(SocketIdentity({.uid = 0xffffffff}).status().code(),
            absl::StatusCode::kUnauthenticated);
  EXPECT_TRUE(SocketIdentity({.uid = 1, .gids = {0xffffffff}})->aliases.empty());
  SocketCredentials many{.uid = 1};
  for (uint32_t gid = 0; gid < 1000; ++gid) many.gids.push_back(gid);
  EXPECT_EQ(SocketIdentity(many)->aliases.size(), kMaxIdentityAliases);
}

TEST(UnprovedIdentityTest, IsLocalOnlyWithoutConfiguredCredentials) {
  const PeerAddress here = PeerAddress::Parse("ipv4:127.0.0.1:1");
  const PeerAddress elsewhere = PeerAddress::Parse("ipv4:10.0.0.1:1");
  EXPECT_EQ(UnprovedIdentity(here, false),
            (Identity{.method = Identity::Method::kLocal, .name = "local"}));
  EXPECT_EQ(UnprovedIdentity(here, true), Identity());
  EXPECT_EQ(UnprovedIdentity(elsewhere, false), Identity());
  EXPECT_EQ(UnprovedIdentity(elsewhere, true), Identity());
}

}  // namespace
}  // namespace stagedoor::server
