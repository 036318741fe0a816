#include "server/access/access_policy.h"

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor::server {
namespace {

using Method = Identity::Method;

const Identity kAlice{
    .method = Method::kToken, .name = "user:alice", .aliases = {"group:fx", "group:lighting"}};
const Identity kNode{.method = Method::kCertificate,
                     .name = "certificate:node7.farm.studio.com",
                     .aliases = {"certificate:spiffe://studio/farm/7"}};
const Identity kUnixUser{.method = Method::kPeer, .name = "uid:1000", .aliases = {"gid:100"}};
const Identity kLocal{.method = Method::kLocal, .name = "local"};

RoleOptions Role(std::string name, std::vector<std::string> identities) {
  RoleOptions role;
  role.grants.role = std::move(name);
  role.identities = std::move(identities);
  return role;
}

std::shared_ptr<const AccessPolicy> Policy(std::vector<RoleOptions> roles) {
  const auto policy = AccessPolicy::Create({.roles = std::move(roles)});
  EXPECT_TRUE(policy.ok()) << policy.status();
  return *policy;
}

// The role of the identity, or the error.
std::string RoleOf(const AccessPolicy& policy, const Identity& identity) {
  const auto caller = policy.Authorize(identity, {.text = "10.0.0.1"});
  return caller.ok() ? (*caller)->grants->role : caller.status().ToString();
}

bool Selects(const std::string& pattern, const Identity& identity) {
  const auto policy = Policy({Role("r", {pattern})});
  return RoleOf(*policy, identity) == "r";
}

TEST(AccessPolicyTest, WithoutRolesThisMachineMayDoEverything) {
  const auto policy = Policy({});
  for (const Identity& identity : {kLocal, kUnixUser}) {
    const auto caller = policy->Authorize(identity, {.text = "unix"});
    ASSERT_TRUE(caller.ok()) << caller.status();
    EXPECT_EQ((*caller)->grants->role, "local");
    EXPECT_TRUE((*caller)->grants->groups.all());
    EXPECT_EQ((*caller)->grants->assets, nullptr);
    EXPECT_EQ((*caller)->grants->priority, PriorityClass::kNormal);
    EXPECT_EQ((*caller)->identity, identity);
  }
  for (const Identity& identity : {Identity(), kAlice, kNode}) {
    const auto caller = policy->Authorize(identity, {.text = "10.0.0.1"});
    ASSERT_TRUE(caller.ok()) << caller.status();
    EXPECT_EQ((*caller)->grants->role, "anonymous");
    EXPECT_EQ((*caller)->grants->groups.count(), 1u);
    EXPECT_TRUE((*caller)->grants->Allows(RpcGroup::kQuery));
    EXPECT_EQ((*caller)->grants->assets, nullptr);
  }
}

TEST(AccessPolicyTest, TheFirstRoleCounts) {
  const auto policy = Policy({Role("one", {"group:fx", "uid:1000"}), Role("two", {"user:alice"}),
                              Role("three", {"*"}), Role("four", {"anonymous"})});
  EXPECT_EQ(RoleOf(*policy, kAlice), "one");
  EXPECT_EQ(RoleOf(*policy, {.method = Method::kToken, .name = "user:alice"}), "two");
  EXPECT_EQ(RoleOf(*policy, kUnixUser), "one");
  EXPECT_EQ(RoleOf(*policy, kNode), "three");
  EXPECT_EQ(RoleOf(*policy, Identity()), "four");
}

TEST(AccessPolicyTest, PatternsSelectNamesAndAliases) {
  for (const std::string pattern :
       {"user:alice", "user:*", "user:a*e", "user:al*ce", "group:fx", "group:light*", "*"}) {
    EXPECT_TRUE(Selects(pattern, kAlice)) << pattern;
  }
  for (const std::string pattern :
       {"user:bob", "user:Alice", "user:alic", "user:alice2", "user:alice*", "user:al*lice",
        "user:*x", "group:alice", "certificate:*", "uid:*", "anonymous", "local"}) {
    EXPECT_FALSE(Selects(pattern, kAlice)) << pattern;
  }
  for (const std::string pattern :
       {"certificate:*.farm.studio.com", "certificate:*", "certificate:node7.*",
        "certificate:spiffe://studio/farm/*", "certificate:spiffe://*/farm/7"}) {
    EXPECT_TRUE(Selects(pattern, kNode)) << pattern;
  }
  for (const std::string pattern :
       {"certificate:spiffe://*", "certificate:spiffe:*7", "certificate:*.studio.org",
        "certificate:node7.farm.studio.com*"}) {
    EXPECT_FALSE(Selects(pattern, kNode)) << pattern;
  }
  EXPECT_TRUE(Selects("gid:100", kUnixUser));
  EXPECT_FALSE(Selects("gid:10", kUnixUser));
}

TEST(AccessPolicyTest, NamesCannotReachBeyondTheirKind) {
  EXPECT_FALSE(Selects("anonymous", {.method = Method::kToken, .name = "user:anonymous"}));
  EXPECT_FALSE(Selects("user:*", {.method = Method::kToken, .name = "user:realm/alice"}));
  EXPECT_TRUE(Selects("user:*", {.method = Method::kToken, .name = "user:system:node"}));
  EXPECT_FALSE(Selects("group:*", {.method = Method::kToken, .name = "user:group:x"}));
}

TEST(AccessPolicyTest, AStarAloneMatchesOnlyWhatWasProved) {
  for (const Identity& identity : {kAlice, kNode, kUnixUser}) {
    EXPECT_TRUE(Selects("*", identity)) << identity.name;
  }
  EXPECT_TRUE(Selects("*", {.method = Method::kToken, .name = "user:realm/alice"}));
  EXPECT_FALSE(Selects("*", kLocal));
  EXPECT_FALSE(Selects("*", Identity()));
  EXPECT_TRUE(Selects("local", kLocal));
  EXPECT_TRUE(Selects("anonymous", Identity()));
}

TEST(AccessPolicyTest, WithoutARoleThereIsNoCaller) {
  const auto policy = Policy({Role("r", {"user:carol"})});
  EXPECT_EQ(RoleOf(*policy, kAlice),
            "PERMISSION_DENIED: 'user:alice' has no role; ask the operator for one");
  for (const Identity& identity : {Identity(), kLocal}) {
    EXPECT_EQ(RoleOf(*policy, identity),
              "UNAUTHENTICATED: credentials are required: connect with a client certificate or "
              "through the Unix socket");
  }
  const auto with_tokens =
      AccessPolicy::Create({.tokens = {TokenIssuer()}, .roles = {Role("r", {"user:carol"})}});
  ASSERT_TRUE(with_tokens.ok()) << with_tokens.status();
  EXPECT_EQ(RoleOf(**with_tokens, Identity()),
            "UNAUTHENTICATED: credentials are required: send a bearer token (\"authorization\")");
}

TEST(AccessPolicyTest, SharesBelongToIdentitiesOrAddresses) {
  const auto policy = Policy({});
  const auto share = [&policy](const Identity& identity, std::string_view peer) {
    return (*policy->Authorize(identity, PeerAddress::Parse(peer)))->share;
  };
  EXPECT_EQ(share(kAlice, "ipv4:10.0.0.1:1"), "user:alice");
  EXPECT_EQ(share(kUnixUser, "unix:"), "uid:1000");
  EXPECT_EQ(share(kLocal, "ipv4:127.0.0.1:1"), "127.0.0.1");
  EXPECT_EQ(share(Identity(), "ipv6:[2001:db8::1]:1"), "2001:db8::/64");
}

TEST(AccessPolicyTest, TheCallerHasTheAddressOfItsClient) {
  const auto peer = PeerAddress::Parse("ipv6:[2001:db8::1]:1");
  EXPECT_EQ((*Policy({})->Authorize(kLocal, peer))->peer, "2001:db8::1");
}

TEST(AccessPolicyTest, GrantsAreThoseOfTheRole) {
  RoleOptions role = Role("r", {"user:alice"});
  role.grants.groups.set(static_cast<size_t>(RpcGroup::kEdit));
  role.grants.priority = PriorityClass::kBatch;
  role.grants.max_calls = 3;
  role.grants.max_leases = 4;
  const auto caller = Policy({role})->Authorize(kAlice, {.text = ""});
  ASSERT_TRUE(caller.ok()) << caller.status();
  const Grants& grants = *(*caller)->grants;
  EXPECT_TRUE(grants.Allows(RpcGroup::kEdit));
  EXPECT_FALSE(grants.Allows(RpcGroup::kQuery));
  EXPECT_EQ(grants.priority, PriorityClass::kBatch);
  EXPECT_EQ(grants.max_calls, 3u);
  EXPECT_EQ(grants.max_leases, 4u);
}

TEST(AccessPolicyTest, CreateNamesWhatIsWrong) {
  const auto problem = [](std::vector<RoleOptions> roles) {
    const auto policy = AccessPolicy::Create({.roles = std::move(roles)});
    EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(Message(policy.status()));
  };
  EXPECT_EQ(problem({Role("", {"*"})}), "a role has no name");
  EXPECT_EQ(problem({Role("r", {})}), "the role 'r' selects no identities; list them");
  EXPECT_EQ(problem({Role("r", {"*"}), Role("r", {"local"})}), "two roles are named 'r'");
  EXPECT_EQ(problem({Role("r", {"user:"})}), "the role 'r': the identity 'user:' has no name");
  EXPECT_EQ(problem({Role("r", {"user:*a*"})}),
            "the role 'r': the identity 'user:*a*' has more than one '*'");
  for (const std::string text :
       {"", "alice", "**", "*:alice", "us*", "users:alice", ":alice", "Anonymous", "local:x"}) {
    EXPECT_EQ(problem({Role("r", {text})}),
              Concat("the role 'r': the identity ", Quoted(text),
                     " must be \"anonymous\", \"local\", \"*\", or begin with user:, group:, "
                     "certificate:, uid:, gid:"));
  }
}

}  // namespace
}  // namespace stagedoor::server
