#include "tests/access/access_fixture.h"

#include <ctime>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/value_batch.h"
#include "server/access/authenticator.h"
#include "server/log/audit_log.h"

namespace stagedoor::server {
namespace {

Grants GrantsOf(std::string role, std::initializer_list<RpcGroup> groups) {
  Grants grants;
  grants.role = std::move(role);
  for (const RpcGroup group : groups) grants.groups.set(static_cast<size_t>(group));
  return grants;
}

}  // namespace

AccessFixture::AccessFixture() {
  const auto issued = authority_.Issue({"stagedoor.test"});
  options_.addresses = {"127.0.0.1:0"};
  options_.tls = {.certificate_file = NewFile("certificate", issued.certificate),
                  .key_file = NewFile("key", issued.key),
                  .client_ca_file = NewFile("ca", authority_.certificate()),
                  .require_client_certificate = false};
  folder_.Write("jwks.json", TestKeySet(key_.Jwk("k1")));
  options_.access.tokens = {{.issuer = std::string(kIssuer),
                             .audience = std::string(kAudience),
                             .jwks_file = folder_ / "jwks.json"}};
  folder_.Write("show/.keep", "");
  const auto show = AccessScope::Create(std::vector<std::string>{folder_ / "show"});
  Grants artist = GrantsOf("artist", {RpcGroup::kQuery, RpcGroup::kEdit});
  artist.assets = *show;
  Grants render = GrantsOf("render", {RpcGroup::kQuery});
  render.assets = *show;
  render.max_leases = 2;
  const Grants admin =
      GrantsOf("admin", {RpcGroup::kQuery, RpcGroup::kEdit, RpcGroup::kTools, RpcGroup::kAdmin});
  options_.access.roles = {{artist, {"user:ann", "user:bob"}},
                           {render, {"certificate:*.farm.test"}},
                           {admin, {"user:root"}}};
}

void AccessFixture::Start() {
  auto server = Server::Start(options_);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
}

void AccessFixture::Stop() {
  if (const auto audit = server_->audit_log()) {
    EXPECT_TRUE(audit->Flush(std::chrono::seconds(60)));
  }
  server_.reset();
}

void AccessFixture::Reload() {
  const absl::Status status = server_->authenticator()->SetAccess(options_.access);
  EXPECT_TRUE(status.ok()) << status;
}

std::string AccessFixture::Claims(std::string_view user, int64_t seconds_left) const {
  return Concat(R"({"iss":")", kIssuer, R"(","aud":")", kAudience, R"(","sub":")", user,
                R"(","exp":)", int64_t{std::time(nullptr)} + seconds_left, "}");
}

std::string AccessFixture::TokenOf(std::string_view user) const {
  return key_.Token(R"({"alg":"ES256","kid":"k1"})", Claims(user), "SHA256");
}

std::string AccessFixture::NewFile(std::string_view kind, std::string_view content) {
  const std::string name = Concat(kind, ++files_, ".pem");
  folder_.Write(name, content);
  return folder_ / name;
}

ClientOptions AccessFixture::Options() const {
  ClientOptions options{.address = server_->addresses().front(),
                        .connect_timeout = std::chrono::seconds(2)};
  options.security.ca_file = options_.tls.client_ca_file;
  options.security.server_name = "stagedoor.test";
  return options;
}

std::unique_ptr<Client> AccessFixture::WithToken(std::string_view token) {
  ClientOptions options = Options();
  if (!token.empty()) options.security.token_file = NewFile("token", token);
  return Client::Connect(options);
}

std::unique_ptr<Client> AccessFixture::WithCertificate(
    const TestCertificateAuthority::Issued& issued) {
  ClientOptions options = Options();
  options.security.certificate_file = NewFile("client", issued.certificate);
  options.security.key_file = NewFile("client_key", issued.key);
  return Client::Connect(options);
}

void AccessFixture::Write(std::string_view name, std::string_view content) {
  folder_.Write(name, Concat("#usda 1.0\n", content));
}

absl::StatusOr<std::string> AccessFixture::Open(Client& client, const std::string& root,
                                                const std::string& session) {
  v1::OpenStageRequest request;
  request.set_root_layer(root);
  request.set_session(session);
  SD_ASSIGN_OR_RETURN(const v1::OpenStageResponse reply, client.OpenStage(request));
  return reply.handle();
}

absl::StatusOr<double> AccessFixture::Get(Client& client, const std::string& handle,
                                          const std::string& path, double frame) {
  v1::BatchGetValuesRequest request;
  request.mutable_stage()->set_handle(handle);
  request.add_paths(path);
  request.mutable_times()->add_frames(frame);
  SD_ASSIGN_OR_RETURN(v1::BatchGetValuesResponse reply, client.BatchGetValues(request));
  const ValueBatch batch(std::move(reply));
  SD_RETURN_IF_ERROR(batch.status(0, 0));
  const auto number = batch.GetDouble(0, 0);
  if (!number.has_value()) return NotFoundError("no value");
  return *number;
}

}  // namespace stagedoor::server
