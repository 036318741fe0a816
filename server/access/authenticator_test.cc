#include "server/access/authenticator.h"

#include <grpcpp/server_context.h>
#include <grpcpp/test/server_context_test_spouse.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "server/access/testing/test_signing_key.h"
#include "server/error_info.h"
#include "server/log/audit_log.h"

namespace stagedoor::server {
namespace {

constexpr int64_t kFarFuture = 4000000000;  // in the year 2096

// Calls are from inside the process, so only a token proves who makes them.
class AuthenticatorTest : public ::testing::Test {
 protected:
  AuthenticatorTest() {
    std::ofstream(folder_ / "keys.json") << TestKeySet(key_.Jwk("k"));
    auto log = AuditLog::Open(folder_ / "audit.jsonl");
    EXPECT_TRUE(log.ok()) << log.status();
    audit_ = *std::move(log);
  }

  std::unique_ptr<Authenticator> Create(AccessOptions access) {
    auto made = Authenticator::Create({.access = std::move(access), .audit = audit_});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  TokenIssuer Issuer() const {
    return {.issuer = "i", .audience = "a", .jwks_file = folder_ / "keys.json"};
  }
  static RoleOptions Role(const std::string& identity) {
    RoleOptions role;
    role.grants.role = "artist";
    role.grants.groups.set(static_cast<size_t>(RpcGroup::kQuery));
    role.identities = {identity};
    return role;
  }
  std::string TokenOf(std::string_view name) const {
    return key_.Token(
        R"({"alg":"EdDSA","kid":"k"})",
        Concat(R"({"iss":"i","aud":"a","sub":")", name, R"(","exp":)", kFarFuture, "}"), "");
  }

  // The name of the caller with these values of "authorization", or the reason and the message of
  // the error.
  static std::string Identify(Authenticator& authenticator,
                              const std::vector<std::string>& authorization,
                              RpcGroup group = RpcGroup::kQuery) {
    grpc::ServerContext context;
    grpc::testing::ServerContextTestSpouse call(&context);
    for (const std::string& value : authorization) call.AddClientMetadata("authorization", value);
    const auto caller = authenticator.Identify(context, "x/Y", group);
    if (caller.ok()) return (*caller)->identity.name;
    return Concat(ReasonName(GetReason(caller.status())), ": ", Message(caller.status()));
  }

  std::string Audit() {
    EXPECT_TRUE(audit_->Flush(std::chrono::seconds(20)));
    std::ifstream file(folder_ / "audit.jsonl");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDir folder_;
  const TestSigningKey key_ = TestSigningKey::Ed25519();
  std::shared_ptr<AuditLog> audit_;
};

TEST_F(AuthenticatorTest, OnlyOneBearerTokenIsAccepted) {
  const auto authenticator = Create({.tokens = {Issuer()}, .roles = {Role("user:*")}});
  const std::string token = TokenOf("ann");
  EXPECT_EQ(Identify(*authenticator, {"Bearer " + token}), "user:ann");
  EXPECT_EQ(Identify(*authenticator, {"bEARER " + token}), "user:ann");
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"Basic YTpi"},
                                                {"Bearer"},
                                                {token},
                                                {""},
                                                {"Bearer " + token, "Bearer " + token}}) {
    EXPECT_EQ(Identify(*authenticator, wrong),
              "UNAUTHENTICATED: the metadata 'authorization' must be one bearer token")
        << wrong[0];
  }
}

TEST_F(AuthenticatorTest, AServerWithoutIssuersRefusesTokens) {
  const auto authenticator = Create({});
  EXPECT_EQ(Identify(*authenticator, {"Bearer " + TokenOf("ann")}),
            "UNAUTHENTICATED: this server accepts no tokens");
}

TEST_F(AuthenticatorTest, KnownCallersWithoutARoleAreRecorded) {
  const auto authenticator = Create({.tokens = {Issuer()}, .roles = {Role("user:ann")}});
  const std::string refusal = Identify(*authenticator, {"Bearer " + TokenOf("bob")});
  EXPECT_TRUE(refusal.starts_with("METHOD_FORBIDDEN: ")) << refusal;
  const std::string audit = Audit();
  EXPECT_NE(audit.find(R"("caller":"user:bob")"), audit.npos) << audit;
  EXPECT_NE(audit.find(R"("decision":"denied")"), audit.npos) << audit;
}

TEST_F(AuthenticatorTest, QueriesThatAreAllowedAreNotRecorded) {
  RoleOptions role = Role("user:ann");
  role.grants.groups.set();
  const auto authenticator = Create({.tokens = {Issuer()}, .roles = {role}});
  EXPECT_EQ(Identify(*authenticator, {"Bearer " + TokenOf("ann")}), "user:ann");
  EXPECT_EQ(Audit(), "");
  EXPECT_EQ(Identify(*authenticator, {"Bearer " + TokenOf("ann")}, RpcGroup::kAdmin), "user:ann");
  const std::string audit = Audit();
  EXPECT_NE(audit.find(R"("decision":"allowed")"), audit.npos) << audit;
}

TEST_F(AuthenticatorTest, RolesNeitherAppearNorDisappearLater) {
  const AccessOptions none, some = {.tokens = {Issuer()}, .roles = {Role("user:ann")}};
  for (const auto& [before, after] : {std::pair(none, some), {some, none}}) {
    const absl::Status changed = Create(before)->SetAccess(after);
    EXPECT_EQ(changed.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Message(changed), "whether there are roles changes only at a restart");
  }
  const auto authenticator = Create(some);
  const std::string bob = "Bearer " + TokenOf("bob");
  EXPECT_TRUE(authenticator->SetAccess({.tokens = {Issuer()}, .roles = {Role("user:bob")}}).ok());
  EXPECT_EQ(Identify(*authenticator, {bob}), "user:bob");
}

}  // namespace
}  // namespace stagedoor::server
