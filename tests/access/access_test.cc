// Attacks on the identities, grants and secrets of a server, by clients over real connections.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/error_reason.h"
#include "tests/access/access_fixture.h"

namespace stagedoor::server {
namespace {

using absl::StatusCode;

absl::Status Ask(Client& client) { return client.GetCapabilities({}).status(); }

// `text` with every `from` replaced by `to`.
std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class AccessTest : public AccessFixture {};

TEST_F(AccessTest, CredentialsAreRequired) {
  Start();
  const absl::Status status = Ask(*WithToken(""));
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated) << status;
  EXPECT_EQ(ErrorReason(status), "UNAUTHENTICATED");
  EXPECT_TRUE(Ask(*As("ann")).ok());
}

TEST_F(AccessTest, ForgedTokensAreRefused) {
  Start();
  const TestSigningKey foreign = TestSigningKey::P256();
  const std::string good = R"({"alg":"ES256","kid":"k1"})";
  std::string wrong_audience = Claims("ann");
  wrong_audience = Replaced(wrong_audience, std::string(kAudience), "another");
  const std::string token = TokenOf("ann");
  const struct {
    const char* what;
    std::string token;
  } kAttacks[] = {
      {"expired", key_.Token(good, Claims("ann", -600), "SHA256")},
      {"another audience", key_.Token(good, wrong_audience, "SHA256")},
      {"a foreign key", foreign.Token(good, Claims("ann"), "SHA256")},
      {"an unknown key", key_.Token(R"({"alg":"ES256","kid":"k2"})", Claims("ann"), "SHA256")},
      {"alg none",
       Concat(EncodeBase64Url(R"({"alg":"none"})"), ".", EncodeBase64Url(Claims("root")), ".")},
      {"HS256", key_.Token(R"({"alg":"HS256","kid":"k1"})", Claims("root"), "SHA256")},
      {"no signature", token.substr(0, token.rfind('.') + 1)},
      {"another's claims", Concat(token.substr(0, token.find('.') + 1),
                                  EncodeBase64Url(Claims("root")), token.substr(token.rfind('.')))},
      {"garbage", "x"},
      {"long garbage", std::string(20000, 'x')},
  };
  for (const auto& attack : kAttacks) {
    const absl::Status status = Ask(*WithToken(attack.token));
    EXPECT_EQ(status.code(), StatusCode::kUnauthenticated) << attack.what << ": " << status;
    EXPECT_EQ(ErrorReason(status), "UNAUTHENTICATED") << attack.what;
    EXPECT_EQ(std::string(Message(status)).find(attack.token.substr(0, 40)), std::string::npos)
        << attack.what << ": the token is in the message";
  }
  EXPECT_TRUE(Ask(*WithToken(token)).ok());
}

TEST_F(AccessTest, CertificatesProveIdentities) {
  Start();
  EXPECT_TRUE(Ask(*WithCertificate(authority_.Issue({"node7.farm.test"}))).ok());
  const absl::Status other = Ask(*WithCertificate(authority_.Issue({"desk.office.test"})));
  EXPECT_EQ(other.code(), StatusCode::kPermissionDenied) << other;
  EXPECT_NE(std::string(Message(other)).find("certificate:desk.office.test"), std::string::npos);
}

TEST_F(AccessTest, ForeignAndExpiredCertificatesDoNotConnect) {
  options().tls.require_client_certificate = true;
  Start();
  const TestCertificateAuthority foreign;
  EXPECT_TRUE(Ask(*WithCertificate(authority_.Issue({"node7.farm.test"}))).ok());
  const std::map<std::string, TestCertificateAuthority::Issued> kRefused = {
      {"foreign", foreign.Issue({"node7.farm.test"})},
      {"expired", authority_.Issue({"node7.farm.test"}, std::chrono::minutes(-5))},
  };
  for (const auto& [what, certificate] : kRefused) {
    const absl::Status status = Ask(*WithCertificate(certificate));
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << what << ": " << status;
    EXPECT_NE(std::string(Message(status)).find(" does not accept the client certificate ("),
              std::string::npos)
        << what << ": " << status;
  }
  const absl::Status none = Ask(*As("ann"));
  EXPECT_EQ(none.code(), StatusCode::kFailedPrecondition) << none;
  EXPECT_NE(std::string(Message(none)).find(" requires a client certificate ("), std::string::npos)
      << none;
}

TEST_F(AccessTest, TheUserOfAUnixSocketIsKnown) {
  const TempDir sockets("/tmp");
  const std::string address = Concat("unix:", sockets / "s");
  options().addresses.push_back(address);
  Grants mine;
  mine.role = "mine";
  mine.groups.set();
  options().access.roles.push_back({mine, {Concat("uid:", getuid())}});
  Start();
  EXPECT_TRUE(Ask(*Client::Connect({.address = address})).ok());
  EXPECT_EQ(Ask(*WithToken("")).code(), StatusCode::kUnauthenticated) << "only over the socket";
}

TEST_F(AccessTest, ASocketOfAnotherUserHasNoRole) {
  const TempDir sockets("/tmp");
  const std::string address = Concat("unix:", sockets / "s");
  options().addresses = {address};
  options().access.roles.push_back({Grants{.role = "other"}, {Concat("uid:", getuid() + 1)}});
  Start();
  const absl::Status status = Ask(*Client::Connect({.address = address}));
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
  EXPECT_NE(std::string(Message(status)).find(Concat("uid:", getuid())), std::string::npos);
}

TEST_F(AccessTest, MethodsBeyondTheGrantsAreForbidden) {
  Write("show/root.usda", "def \"P\" {\n double x = 1\n}\n");
  Start();
  const auto ann = As("ann"), root = As("root");
  const auto handle = Open(*ann, Show("root.usda"));
  ASSERT_TRUE(handle.ok()) << handle.status();
  v1::FlattenStageRequest flatten;
  flatten.mutable_source()->mutable_open()->set_root_layer(Show("root.usda"));
  const auto ignore = [](const v1::FlattenStageResponse&) { return absl::OkStatus(); };
  v1::GetStageRequest by_id;
  by_id.set_id("1");
  using Metadata = std::map<std::string, std::string>;
  const std::pair<absl::Status, std::string> kForbidden[] = {
      {ann->FlattenStage(flatten, ignore), "tools"},
      {ann->ListStages({}).status(), "admin"},
      {ann->GetServerStatistics({}).status(), "admin"},
      {ann->GetStage(by_id).status(), "admin"}};
  for (const auto& [status, group] : kForbidden) {
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
    EXPECT_EQ(ErrorReason(status), "METHOD_FORBIDDEN") << status;
    EXPECT_EQ(ErrorMetadata(status), (Metadata{{"group", group}})) << status;
  }
  EXPECT_TRUE(root->FlattenStage(flatten, ignore).ok());
  EXPECT_EQ(root->ListStages({})->stages_size(), 2) << "those with different grants share none";
  const auto node = WithCertificate(authority_.Issue({"node7.farm.test"}));
  v1::ReloadStageRequest reload;
  reload.mutable_stage()->set_handle(*Open(*node, Show("root.usda")));
  const absl::Status forbidden = node->ReloadStage(reload).status();
  EXPECT_EQ(ErrorReason(forbidden), "METHOD_FORBIDDEN");
  EXPECT_EQ(ErrorMetadata(forbidden), (Metadata{{"group", "edit"}}));
}

TEST_F(AccessTest, WhatMayNotBeReadLooksMissing) {
  Write("secret/s.usda", "def \"S\" {\n double y = 2\n}\n");
  Write("show/root.usda", "def \"P\" {\n double x = 1\n}\n");
  std::filesystem::create_symlink(Secret("s.usda"), Show("link_s.usda"));
  std::filesystem::create_symlink(Secret("n.usda"), Show("link_n.usda"));
  std::filesystem::create_symlink(folder_ / "secret", Show("dir"));
  Start();
  const auto ann = As("ann");
  ASSERT_TRUE(Open(*ann, Show("root.usda")).ok());
  for (const std::string& path :
       {Secret("s.usda"), Show("../secret/s.usda"), Show("x/../../secret/s.usda"),
        Show("link_s.usda"), Show("dir/s.usda"), Secret("s.usdz") + "[a.usda]",
        "file://" + Secret("s.usda"), Secret("s.usda") + "/"}) {
    const absl::Status status = Open(*ann, path).status();
    EXPECT_FALSE(status.ok()) << path;
    std::string missing = path;
    missing.replace(missing.rfind("s.usd"), 1, "n");
    const absl::Status other = Open(*ann, missing).status();
    EXPECT_EQ(status.code(), other.code()) << path;
    EXPECT_EQ(Replaced(std::string(Message(status)), "s.usd", "n.usd"), Message(other)) << path;
    EXPECT_EQ(ErrorReason(status), ErrorReason(other)) << path;
  }
  EXPECT_TRUE(Open(*As("root"), Secret("s.usda")).ok());
}

TEST_F(AccessTest, BytesOfAssetsAreReadUnderTheSameRules) {
  Write("secret/s.png", "hidden");
  Write("show/s.png", "shown");
  std::filesystem::create_symlink(Secret("s.png"), Show("link.png"));
  Grants reader = options().access.roles[0].grants;
  reader.role = "reader";
  reader.groups.set(static_cast<size_t>(RpcGroup::kTools));
  options().access.roles.push_back({reader, {"user:tim"}});
  Start();
  const auto read = [](Client& client, const std::string& path) {
    v1::ReadAssetRequest request;
    request.set_asset_path(path);
    return client.ReadAsset(request, [](const v1::ReadAssetResponse&) { return absl::OkStatus(); });
  };
  const auto tim = As("tim");
  EXPECT_TRUE(read(*tim, Show("s.png")).ok());
  for (const std::string& path : {Secret("s.png"), Show("link.png"), Show("../secret/s.png"),
                                  "file://" + Secret("s.png"), Show("none.png")}) {
    EXPECT_EQ(ErrorReason(read(*tim, path)), "LAYER_NOT_FOUND") << path;
  }
  EXPECT_TRUE(read(*As("root"), Secret("s.png")).ok());
  EXPECT_EQ(ErrorReason(read(*As("ann"), Show("s.png"))), "METHOD_FORBIDDEN");
}

// The errors and values that a stage discloses about a hidden asset or a missing one.
struct Disclosed {
  std::string errors;
  bool has_value = false;
};

class HiddenLayersTest : public AccessFixture {
 protected:
  // The root layer with an asset path to "s.usda", which exists, or to "n.usda".
  Disclosed Show1(Client& client, std::string text, const std::string& target) {
    Write(Concat("show/root_", target, ".usda"), Replaced(std::move(text), "TARGET", target));
    Disclosed disclosed;
    const auto handle = Open(client, Show(Concat("root_", target, ".usda")));
    EXPECT_TRUE(handle.ok()) << handle.status();
    if (!handle.ok()) return disclosed;
    v1::GetStageRequest request;
    request.mutable_stage()->set_handle(*handle);
    request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
    request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
    const auto stage = client.GetStage(request);
    EXPECT_TRUE(stage.ok()) << stage.status();
    for (const auto& error : stage->stage().composition_errors()) {
      disclosed.errors += error.ShortDebugString() + "\n";
    }
    disclosed.errors += Concat(stage->stage().used_layers_size());
    disclosed.has_value = Get(client, *handle, "/P.y").ok();
    return disclosed;
  }
};

TEST_F(HiddenLayersTest, CompositionAndClipsCannotReachThem) {
  Write("secret/s.usda", "def \"P\" {\n double y = 2\n double y.timeSamples = { 1: 5 }\n}\n");
  Start();
  const auto ann = As("ann"), root = As("root");
  const std::string kTexts[] = {
      "(\n subLayers = [@../secret/TARGET.usda@]\n)\n",
      "def \"P\" (\n references = @../secret/TARGET.usda@</P>\n) {\n}\n",
      "def \"P\" (\n payload = @../secret/TARGET.usda@</P>\n) {\n}\n",
      Concat("def \"P\" (\n references = @", Secret("TARGET.usda"), "@</P>\n) {\n}\n"),
      R"(def "P" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@../secret/TARGET.usda@]
      string primPath = "/P"
      double2[] active = [(0, 0)]
      double2[] times = [(0, 0), (10, 10)]
    }
  }
) {
  double y
}
)",
  };
  for (const std::string& text : kTexts) {
    const Disclosed hidden = Show1(*ann, text, "s");
    const Disclosed missing = Show1(*ann, text, "n");
    EXPECT_FALSE(hidden.has_value) << text;
    EXPECT_EQ(Replaced(hidden.errors, "s.usda", "n.usda"), missing.errors) << text;
    EXPECT_TRUE(Show1(*root, text, "s").has_value) << text;
    EXPECT_FALSE(Show1(*ann, text, "s").has_value) << "a stage of another caller was shared";
  }
}

TEST_F(HiddenLayersTest, RequestsCannotNameThem) {
  Write("secret/s.usda", "over \"P\" {\n double y = 2\n}\n");
  Write("show/root.usda", "(\n subLayers = [@pinned.usda@]\n)\ndef \"P\" {\n}\n");
  Start();
  const auto ann = As("ann");
  const auto value_of = [&](const v1::OpenStageRequest& request) {
    const auto reply = ann->OpenStage(request);
    return reply.ok() && Get(*ann, reply->handle(), "/P.y").ok();
  };
  v1::OpenStageRequest plain;
  plain.set_root_layer(Show("root.usda"));
  EXPECT_FALSE(value_of(plain));
  v1::OpenStageRequest session = plain, pin = plain, search = plain, sent = plain, file = plain;
  session.mutable_session_layer()->set_identifier(Secret("s.usda"));
  auto* pinned = pin.mutable_resolver_context()->add_pins();
  pinned->set_asset_path("pinned.usda");
  pinned->set_target(Secret("s.usda"));
  search.mutable_resolver_context()->add_search_paths(folder_ / "secret");
  auto* layer = sent.mutable_resolver_context()->add_layers();
  layer->set_identifier(Show("pinned.usda"));
  layer->set_content(Concat("#usda 1.0\n(\n subLayers = [@", Secret("s.usda"), "@]\n)\n"));
  file.mutable_resolver_context()->add_pin_files(Secret("pins.json"));
  folder_.Write("secret/pins.json",
                Concat(R"({"pins": {"pinned.usda": ")", Secret("s.usda"), R"("}})"));
  for (const v1::OpenStageRequest& request : {session, pin, search, sent, file}) {
    EXPECT_FALSE(value_of(request)) << request.ShortDebugString();
  }
  layer->set_content("#usda 1.0\nover \"P\" {\n double y = 3\n}\n");
  EXPECT_TRUE(value_of(sent)) << "a layer that the client sends is its own";
}

TEST_F(AccessTest, HandlesAndSessionsBelongToTheirCaller) {
  Write("show/root.usda", "def \"P\" {\n double x = 1\n}\n");
  Start();
  const auto ann = As("ann"), bob = As("bob");
  const auto handle = Open(*ann, Show("root.usda"), "edit");
  ASSERT_TRUE(handle.ok()) << handle.status();
  v1::SetSessionLayerRequest edit;
  edit.mutable_stage()->set_handle(*handle);
  edit.mutable_session_layer()->set_content("#usda 1.0\nover \"P\" {\n double x = 7\n}\n");
  ASSERT_TRUE(ann->SetSessionLayer(edit).ok());
  EXPECT_EQ(*Get(*ann, *handle, "/P.x"), 7);

  v1::CloseStageRequest close;
  close.set_handle(*handle);
  v1::RenewLeaseRequest renew;
  renew.set_handle(*handle);
  for (const absl::Status& status :
       {Get(*bob, *handle, "/P.x").status(), bob->CloseStage(close).status(),
        bob->RenewLease(renew).status(), bob->SetSessionLayer(edit).status()}) {
    EXPECT_EQ(ErrorReason(status), "STAGE_NOT_FOUND") << status;
  }
  const auto bobs = Open(*bob, Show("root.usda"), "edit");
  ASSERT_TRUE(bobs.ok()) << bobs.status();
  EXPECT_EQ(*Get(*bob, *bobs, "/P.x"), 1) << "bob is in the session of ann";
}

TEST_F(AccessTest, StagesAreOpenedAgainWhenTheAssetsOfACallerChange) {
  Write("show/root.usda", "def \"P\" {\n double x = 1\n}\n");
  Write("secret/s.usda", "def \"P\" {\n double x = 2\n}\n");
  Start();
  const auto ann = As("ann");
  const auto handle = Open(*ann, Show("root.usda"), "edit");
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_FALSE(Open(*ann, Secret("s.usda")).ok());
  options().access.roles[0].grants.assets =
      *AccessScope::Create(std::vector<std::string>{folder_.path()});
  Reload();
  EXPECT_EQ(ErrorReason(Get(*ann, *handle, "/P.x").status()), "LEASE_EXPIRED");
  const auto again = Open(*ann, Show("root.usda"), "edit");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*Get(*ann, *again, "/P.x"), 1);
  EXPECT_TRUE(Open(*ann, Secret("s.usda")).ok());
}

TEST_F(AccessTest, ARequestIdOfAnotherGivesNothing) {
  Write("show/root.usda", "def \"P\" {\n double x = 1\n}\n");
  Start();
  v1::OpenStageRequest request;
  request.set_root_layer(Show("root.usda"));
  request.set_request_id("0123456789abcdef");
  const auto anns = As("ann")->OpenStage(request), bobs = As("bob")->OpenStage(request);
  ASSERT_TRUE(anns.ok() && bobs.ok()) << anns.status() << bobs.status();
  EXPECT_NE(anns->handle(), bobs->handle());
}

TEST_F(AccessTest, LeasesOfOneCallerAreBounded) {
  Write("show/root.usda", "def \"P\" {}\n");
  Start();
  const auto issued = authority_.Issue({"node7.farm.test"});
  const auto node = WithCertificate(issued);
  EXPECT_TRUE(Open(*node, Show("root.usda")).ok());
  EXPECT_TRUE(Open(*node, Show("root.usda")).ok());
  const absl::Status full = Open(*WithCertificate(issued), Show("root.usda")).status();
  EXPECT_EQ(ErrorReason(full), "BUDGET_EXHAUSTED") << full;
  EXPECT_TRUE(
      Open(*WithCertificate(authority_.Issue({"node8.farm.test"})), Show("root.usda")).ok());
}

TEST_F(AccessTest, DecisionsAreRecorded) {
  Write("show/root.usda", "def \"P\" {}\n");
  options().audit_log = folder_ / "audit.jsonl";
  Start();
  const auto ann = As("ann");
  ASSERT_TRUE(Open(*ann, Show("root.usda")).ok());
  ASSERT_FALSE(Open(*ann, Secret("s.usda")).ok());
  ASSERT_FALSE(ann->ListStages({}).ok());
  ASSERT_FALSE(Ask(*WithToken("")).ok());
  Stop();
  std::vector<std::string> decisions;
  std::ifstream file(folder_ / "audit.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line);
    decisions.push_back(Concat(entry.value("caller", "?"), " ", entry["method"].get<std::string>(),
                               " ", entry.value("asset", ""), " ",
                               entry["decision"].get<std::string>()));
  }
  EXPECT_EQ(decisions, (std::vector<std::string>{
                           Concat("user:ann open stage ", Show("root.usda"), " allowed"),
                           Concat("user:ann open stage ", Secret("s.usda"), " denied"),
                           "user:ann stagedoor.v1.StagesService/ListStages  denied",
                           "? stagedoor.v1.ServerService/GetCapabilities  denied",
                       }));
}

}  // namespace
}  // namespace stagedoor::server
