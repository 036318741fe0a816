#include "server/config/access_section.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "server/config/yaml_reader.h"

namespace stagedoor::server {
namespace {

using Texts = std::vector<std::string>;

class AccessSectionTest : public ::testing::Test {
 protected:
  AccessSectionTest() { folder_.Write("jwks.json", "{}"); }

  AccessOptions Read(const std::string& text, ConfigErrors& errors) {
    return ReadAccessSection(ReadYaml(text, errors), errors);
  }
  AccessOptions Read(const std::string& text) {
    ConfigErrors errors("f");
    AccessOptions access = Read(text, errors);
    EXPECT_TRUE(errors.empty()) << errors.status();
    return access;
  }
  std::string ErrorOf(const std::string& text) {
    ConfigErrors errors("f");
    Read(text, errors);
    return std::string(Message(errors.status()));
  }
  // A section with one role that has `entries` besides its name.
  std::string RoleError(const std::string& entries) {
    const std::string error = ErrorOf("roles: [{name: r, " + entries + "}]");
    return error.substr(error.find(": ") == error.npos ? 0 : error.find(": ") + 2);
  }
  std::string TokenError(const std::string& entries) {
    const std::string error = ErrorOf("tokens: [{" + entries + "}]");
    return error.substr(error.find(": ") == error.npos ? 0 : error.find(": ") + 2);
  }

  const TempDir folder_;
};

TEST_F(AccessSectionTest, ReadsTokens) {
  const AccessOptions access =
      Read("tokens:\n  - {issuer: i, audience: a, jwks-file: " + folder_ / "jwks.json" +
           "}\n  - {issuer: i, audience: b, clock-skew: 7, name-claim: n,"
           " groups-claim: g, jwks-file: " +
           folder_ / "jwks.json" + "}\n");
  ASSERT_EQ(access.tokens.size(), 2u);
  EXPECT_EQ(access.tokens[0].issuer, "i");
  EXPECT_EQ(access.tokens[0].audience, "a");
  EXPECT_EQ(access.tokens[0].jwks_file, folder_ / "jwks.json");
  EXPECT_EQ(access.tokens[0].clock_skew, std::chrono::seconds(60));
  EXPECT_EQ(access.tokens[0].name_claim, "sub");
  EXPECT_EQ(access.tokens[0].groups_claim, "groups");
  EXPECT_EQ(access.tokens[1].clock_skew, std::chrono::seconds(7));
  EXPECT_EQ(access.tokens[1].name_claim, "n");
  EXPECT_EQ(access.tokens[1].groups_claim, "g");
}

TEST_F(AccessSectionTest, ReadsRoles) {
  const AccessOptions access = Read(R"(
roles:
  - name: farm
    identities: ["certificate:*.farm.studio.com", "group:render", "uid:1000", anonymous]
    assets: [/show, "s3://bucket/show"]
    methods: [query, tools]
    priority: batch
    max-calls: 100
    max-leases: 1K
  - name: all
    identities: local
    assets: "*"
    methods: []
  - name: none
    identities: "*"
    assets: []
    methods: admin
)");
  ASSERT_EQ(access.roles.size(), 3u);
  const RoleOptions& farm = access.roles[0];
  EXPECT_EQ(farm.grants.role, "farm");
  EXPECT_EQ(farm.identities,
            (Texts{"certificate:*.farm.studio.com", "group:render", "uid:1000", "anonymous"}));
  ASSERT_NE(farm.grants.assets, nullptr);
  EXPECT_TRUE(farm.grants.assets->IncludesName("/show/a"));
  EXPECT_TRUE(farm.grants.assets->IncludesName("s3://bucket/show/a"));
  EXPECT_FALSE(farm.grants.assets->IncludesName("/lib"));
  EXPECT_TRUE(farm.grants.Allows(RpcGroup::kQuery));
  EXPECT_FALSE(farm.grants.Allows(RpcGroup::kEdit));
  EXPECT_TRUE(farm.grants.Allows(RpcGroup::kTools));
  EXPECT_FALSE(farm.grants.Allows(RpcGroup::kAdmin));
  EXPECT_EQ(farm.grants.priority, PriorityClass::kBatch);
  EXPECT_EQ(farm.grants.max_calls, 100u);
  EXPECT_EQ(farm.grants.max_leases, 1024u);

  const Grants& all = access.roles[1].grants;
  EXPECT_EQ(all.assets, nullptr) << "everything";
  EXPECT_TRUE(all.groups.none());
  EXPECT_EQ(all.priority, PriorityClass::kNormal);
  EXPECT_EQ(all.max_calls, std::numeric_limits<size_t>::max());
  EXPECT_EQ(all.max_leases, std::numeric_limits<size_t>::max());

  const Grants& none = access.roles[2].grants;
  ASSERT_NE(none.assets, nullptr) << "an empty list is nothing, not everything";
  EXPECT_FALSE(none.assets->IncludesName("/show"));
  EXPECT_TRUE(none.Allows(RpcGroup::kAdmin));
}

TEST_F(AccessSectionTest, ErrorsOfKeysHaveTheirPlace) {
  EXPECT_EQ(ErrorOf("rolls: []"), "f:1:1: unknown key 'rolls'; did you mean 'roles'?");
  EXPECT_EQ(ErrorOf("roles: 3"), "f:1:8: 'roles' must be a list, not '3'");
  EXPECT_EQ(ErrorOf("roles:\n"), "f:1:1: 'roles' has no value; it must be a list");
  EXPECT_EQ(ErrorOf("[]"), "f:1:1: 'access' must be a mapping, not a list");
  EXPECT_EQ(ErrorOf("tokens: {}"), "f:1:9: 'tokens' must be a list, not a mapping");
  EXPECT_EQ(ErrorOf("roles:\n- name: r\n  methods: query\n  assets: '*'\n"),
            "f:2:3: each of 'roles' needs the key 'identities'");
  EXPECT_EQ(ErrorOf("tokens:\n- audience: x\n- 3"),
            "f:2:3: each of 'tokens' needs the key 'issuer'\n"
            "f:2:3: each of 'tokens' needs the key 'jwks-file'\n"
            "f:3:3: each of 'tokens' must be a mapping, not '3'");
}

TEST_F(AccessSectionTest, ErrorsOfRolesStateWhatIsAllowed) {
  const std::string rest = ", assets: '*', methods: []";
  const std::string who = "identities: local, ";
  const struct {
    std::string entries, error;
  } kCases[] = {
      {"identities: alice" + rest,
       "identity 'alice' is not valid: it must be anonymous, local, '*', or a name after one of "
       "uid:, gid:, user:, group:, certificate:"},
      {"identities: 'groups:fx'" + rest,
       "identity 'groups:fx' is not valid: it must be anonymous, local, '*', or a name after one "
       "of uid:, gid:, user:, group:, certificate:; did you mean 'group'?"},
      {"identities: 'user:'" + rest, "identity 'user:' is not valid: a name must follow 'user:'"},
      {"identities: 'user:*a*'" + rest,
       "identity 'user:*a*' is not valid: it may have only one '*'"},
      {"identities: 'uid:root'" + rest,
       "identity 'uid:root' is not valid: it must be a number or '*'"},
      {"identities: 'gid:x'" + rest, "identity 'gid:x' is not valid: it must be a number or '*'"},
      {"identities: []" + rest, "'identities' must name an identity"},
      {"identities: [[]]" + rest, "each of 'identities' must be a text, not a list"},
      {"identities: ['']" + rest, "each of 'identities' must not be empty"},
      {"identities: {}" + rest, "'identities' must be a text or a list of texts, not a mapping"},
      {who + "assets: show, methods: []",
       "'assets' cannot have 'show': the prefix 'show' must be an absolute path or begin with a "
       "URI scheme"},
      {who + "assets: ['*', /a], methods: []",
       "'*' includes all assets, so it must be the only one"},
      {who + "assets: '*', methods: all",
       "each of 'methods' cannot be 'all': it must be one of query, edit, tools, admin"},
      {who + "assets: '*', methods: [], priority: low",
       "'priority' cannot be 'low': it must be one of interactive, normal, batch"},
      {who + "assets: '*', methods: [], max-calls: 0",
       "'max-calls' cannot be '0': it must be a whole number from 1 to 1000000"},
      {who + "assets: '*', methods: [], max-calls: 1000001",
       "'max-calls' cannot be '1000001': it must be a whole number from 1 to 1000000"},
      {who + "assets: '*', methods: [], max-leases: 0",
       "'max-leases' cannot be '0': it must be a whole number from 1 to 100000000"},
      {who + "assets: '*', methods: [], max-leases: 100000001",
       "'max-leases' cannot be '100000001': it must be a whole number from 1 to 100000000"},
      {who + "assets: '*', methods: [], max-leases: [1]",
       "'max-leases' must be a text, not a list"},
  };
  for (const auto& c : kCases) EXPECT_EQ(RoleError(c.entries), c.error) << c.entries;
  EXPECT_EQ(RoleError(who + "assets: '*', methods: [], max-calls: 1000000, max-leases: 100000000"),
            "");
  for (const char* identity : {"uid:*", "gid:0", "user:a*", "group:*", "certificate:x/y"}) {
    EXPECT_EQ(RoleError("identities: '" + std::string(identity) + "'" + rest), "") << identity;
  }
}

TEST_F(AccessSectionTest, RoleNamesAreUniqueWords) {
  const std::string rest = ", identities: local, assets: '*', methods: []}";
  EXPECT_EQ(ErrorOf("roles:\n- {name: a" + rest + "\n- {name: a" + rest),
            "f:3:3: role 'a' is given twice");
  EXPECT_EQ(ErrorOf("roles: [{name: a b" + rest + "]"),
            "f:1:16: 'name' cannot be 'a b': it must be up to 64 letters, digits, '-', '_' and "
            "'.'");
  EXPECT_EQ(ErrorOf("roles: [{name: aZ0-_." + rest + "]"), "");
  EXPECT_EQ(ErrorOf("roles: [{name: " + std::string(64, 'a') + rest + "]"), "");
  EXPECT_NE(ErrorOf("roles: [{name: " + std::string(65, 'a') + rest + "]"), "");
}

TEST_F(AccessSectionTest, ErrorsOfTokensStateWhatIsAllowed) {
  const std::string file = ", jwks-file: " + folder_ / "jwks.json";
  EXPECT_EQ(TokenError("issuer: i, audience: a, jwks-file: /nowhere"),
            "'jwks-file' cannot be '/nowhere': it must be an existing file");
  EXPECT_EQ(TokenError("issuer: i, audience: a, jwks-file: " + folder_.path()),
            "'jwks-file' cannot be '" + folder_.path() + "': it must be an existing file");
  EXPECT_EQ(TokenError("issuer: i, audience: a, clock-skew: 3601" + file),
            "'clock-skew' cannot be '3601': it must be a whole number of seconds from 0 to 3600");
  EXPECT_EQ(TokenError("issuer: i, audience: a, clock-skew: 3600" + file), "");
  EXPECT_EQ(TokenError("issuer: '', audience: a" + file), "'issuer' must not be empty");
  EXPECT_EQ(ErrorOf("tokens:\n- {issuer: i, audience: a" + file + "}\n- {issuer: i, audience: a" +
                    file + "}"),
            "f:3:3: issuer 'i' with audience 'a' is given twice");
}

}  // namespace
}  // namespace stagedoor::server
