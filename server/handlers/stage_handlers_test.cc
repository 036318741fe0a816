#include "server/handlers/stage_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "server/testing/payload_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

using StageHandlersTest = PayloadSceneTest;

TEST_F(StageHandlersTest, GetStageReturnsLayersMetadataAndErrors) {
  Write("root.usda", R"((
    customLayerData = { string by = "us" }
    subLayers = [@strong.usda@]
    timeCodesPerSecond = 48
)
def "P" ( references = @missing.usda@ ) {}
)");
  v1::GetStageRequest request;
  *request.mutable_stage() = Open();
  request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  request.add_details(v1::STAGE_DETAIL_METADATA);
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  const auto reply = client().GetStage(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Stage& stage = reply->stage();
  EXPECT_EQ(stage.time_codes_per_second(), 48);
  EXPECT_EQ(Strings(stage.used_layers().begin(), stage.used_layers().end()),
            (Strings{"/root.usda", "/strong.usda"}));
  Strings names;
  for (const v1::Field& field : stage.metadata()) names.push_back(field.name());
  EXPECT_EQ(names, Strings{"customLayerData"}) << "rates have fields of their own";
  ASSERT_EQ(stage.composition_errors_size(), 1);
  EXPECT_EQ(stage.composition_errors(0).type(), "InvalidAssetPath");
  EXPECT_EQ(stage.composition_errors(0).prim_path(), "/P");
}

TEST_F(StageHandlersTest, MaskAndLoadRulesLimitPopulation) {
  v1::OpenStageRequest open;
  open.add_population_mask("/P/Q");
  EXPECT_EQ(Paths(Open(open)), (Strings{"/P", "/P/Q", "/P/Q/Leaf"}));
  v1::OpenStageRequest rules;
  v1::LoadRule* rule = rules.add_load_rules();
  rule->set_path("/P");
  rule->set_rule(v1::LoadRule::RULE_ONLY);
  EXPECT_EQ(Paths(Open(rules)), (Strings{"/P", "/P/Leaf", "/R"}));
}

TEST_F(StageHandlersTest, RepliesReportTheLeaseCount) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  const auto first = client().OpenStage(open);
  const auto second = client().OpenStage(open);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->stage().lease_count(), 1u);
  EXPECT_EQ(second->stage().lease_count(), 2u);

  v1::GetStageRequest get;
  get.mutable_stage()->set_handle(first->handle());
  EXPECT_EQ(client().GetStage(get)->stage().lease_count(), 2u);
  v1::CloseStageRequest close;
  close.set_handle(second->handle());
  ASSERT_TRUE(client().CloseStage(close).ok());
  EXPECT_EQ(client().GetStage(get)->stage().lease_count(), 1u);
}

TEST_F(StageHandlersTest, ListsClientNamesAndIdleStages) {
  Write("other.usda", "def \"O\" {}\n");
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  for (const char* name : {"farm/2", "farm/1", "farm/2"}) {
    open.set_client_name(name);
    ASSERT_TRUE(client().OpenStage(open).ok());
  }
  open.set_root_layer("/other.usda");
  const auto other = client().OpenStage(open);
  ASSERT_TRUE(other.ok());
  v1::CloseStageRequest close;
  close.set_handle(other->handle());
  ASSERT_TRUE(client().CloseStage(close).ok());

  const auto list = client().ListStages({});
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->stages_size(), 2);
  EXPECT_EQ(list->stages(0).root_layer(), "/root.usda");
  EXPECT_EQ(list->stages(0).lease_count(), 3u);
  EXPECT_EQ(Strings(list->stages(0).client_names().begin(), list->stages(0).client_names().end()),
            (Strings{"farm/1", "farm/2"}));
  EXPECT_EQ(list->stages(1).root_layer(), "/other.usda");
  EXPECT_EQ(list->stages(1).lease_count(), 0u);
  EXPECT_EQ(list->stages(1).client_names_size(), 0);
}

TEST_F(StageHandlersTest, LimitsTheLengthOfClientNames) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.set_client_name(std::string(201, 'x'));
  const auto reply = client().OpenStage(open);
  EXPECT_EQ(ErrorReason(reply.status()), "INVALID_FIELD") << reply.status();
}

TEST_F(StageHandlersTest, RejectsMalformedPageTokens) {
  for (const std::string token : {"x", "1x", "-1", " 1", "99999999999999999999999"}) {
    v1::ListStagesRequest request;
    request.set_page_token(token);
    const absl::Status status = client().ListStages(request).status();
    EXPECT_EQ(ErrorReason(status), "INVALID_FIELD") << token << ": " << status;
  }
}

TEST_F(StageHandlersTest, ListsStagesPageByPage) {
  ServerOptions options;
  options.limits.max_page_size = 2;
  Start(options);
  for (int i = 0; i < 5; ++i) {
    Write(Concat("s", i, ".usda"), "def \"P\" {}\n");
    v1::OpenStageRequest open;
    open.set_root_layer(Concat("/s", i, ".usda"));
    Open(open);
  }
  v1::ListStagesRequest request;
  Strings roots;
  std::vector<int> sizes;
  do {
    const auto page = client().ListStages(request);
    ASSERT_TRUE(page.ok()) << page.status();
    sizes.push_back(page->stages_size());
    for (const v1::Stage& stage : page->stages()) roots.push_back(stage.root_layer());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(sizes, (std::vector<int>{2, 2, 1}));
  std::sort(roots.begin(), roots.end());
  EXPECT_EQ(roots, (Strings{"/s0.usda", "/s1.usda", "/s2.usda", "/s3.usda", "/s4.usda"}));
  request.set_page_size(1);
  EXPECT_EQ(client().ListStages(request)->stages_size(), 1);
  request.set_page_size(1000);
  EXPECT_EQ(client().ListStages(request)->stages_size(), 2) << "the server's limit";
  request.set_page_size(-1);
  EXPECT_EQ(ErrorReason(client().ListStages(request).status()), "INVALID_FIELD");
}

// Checks the times at which leases expire, by the system clock.
class LeaseTimeTest : public StageHandlersTest {
 protected:
  using Clock = std::chrono::system_clock;

  static Clock::time_point TimeOf(const google::protobuf::Timestamp& time) {
    EXPECT_GE(time.nanos(), 0);
    EXPECT_LT(time.nanos(), 1000000000);
    return Clock::time_point(std::chrono::seconds(time.seconds()) +
                             std::chrono::nanoseconds(time.nanos()));
  }
  static google::protobuf::Duration Duration(int64_t seconds, int32_t nanos) {
    google::protobuf::Duration duration;
    duration.set_seconds(seconds);
    duration.set_nanos(nanos);
    return duration;
  }
};

TEST_F(LeaseTimeTest, LeasesLastAsRequestedWithinTheLimit) {
  using std::chrono::milliseconds, std::chrono::seconds;
  ServerOptions options;
  options.leases.default_ttl = seconds(20);
  options.leases.max_ttl = seconds(100);
  Start(options);
  const struct {
    google::protobuf::Duration requested;
    milliseconds expected;
  } kCases[] = {{Duration(0, 0), seconds(20)},
                {Duration(50, 500000000), milliseconds(50500)},
                {Duration(0, 1500000), milliseconds(1)},
                {Duration(-5, 0), seconds(20)},
                {Duration(100, 0), seconds(100)},
                {Duration(101, 0), seconds(100)},
                {Duration(std::numeric_limits<int64_t>::max(), 0), seconds(100)}};
  for (const auto& c : kCases) {
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    *open.mutable_lease_ttl() = c.requested;
    auto before = Clock::now();
    const auto opened = client().OpenStage(open);
    ASSERT_TRUE(opened.ok()) << opened.status();
    Clock::time_point expiry = TimeOf(opened->lease_expire_time());
    EXPECT_GE(expiry, before + c.expected) << c.requested.DebugString();
    EXPECT_LE(expiry, Clock::now() + c.expected + milliseconds(1)) << c.requested.DebugString();
  }
  const v1::StageRef stage = Open();
  v1::RenewLeaseRequest renew;
  renew.set_handle(stage.handle());
  *renew.mutable_lease_ttl() = Duration(70, 0);
  const auto before = Clock::now();
  const auto renewed = client().RenewLease(renew);
  ASSERT_TRUE(renewed.ok()) << renewed.status();
  EXPECT_GE(TimeOf(renewed->lease_expire_time()), before + seconds(70));
  EXPECT_LE(TimeOf(renewed->lease_expire_time()), Clock::now() + seconds(70));
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  const auto got = client().GetStage(get);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_GE(TimeOf(got->lease_expire_time()), before + seconds(70));
  EXPECT_LE(TimeOf(got->lease_expire_time()), Clock::now() + seconds(70));
  renew.set_handle("nobody's");
  EXPECT_EQ(ErrorReason(client().RenewLease(renew).status()), "STAGE_NOT_FOUND");
}

TEST_F(StageHandlersTest, AppliesEachLoadRule) {
  const auto paths = [&](v1::LoadPolicy policy, v1::LoadRule::Rule rule) {
    v1::OpenStageRequest open;
    open.set_load_policy(policy);
    v1::LoadRule* added = open.add_load_rules();
    added->set_path("/P");
    added->set_rule(rule);
    return Paths(Open(open));
  };
  EXPECT_EQ(paths(v1::LOAD_POLICY_NONE, v1::LoadRule::RULE_ALL),
            (Strings{"/P", "/P/Leaf", "/P/Q", "/P/Q/Leaf", "/R"}));
  EXPECT_EQ(paths(v1::LOAD_POLICY_NONE, v1::LoadRule::RULE_ONLY), (Strings{"/P", "/P/Leaf", "/R"}));
  EXPECT_EQ(paths(v1::LOAD_POLICY_ALL, v1::LoadRule::RULE_NONE), Strings{"/R"});
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.add_load_rules()->set_path("/P");
  EXPECT_EQ(ErrorReason(client().OpenStage(open).status()), "INVALID_FIELD")
      << "an unspecified rule";
  open.mutable_load_rules(0)->set_rule(v1::LoadRule::RULE_ALL);
  open.mutable_load_rules(0)->set_path("no path");
  EXPECT_EQ(ErrorReason(client().OpenStage(open).status()), "INVALID_PATH");
}

TEST_F(StageHandlersTest, RejectsInvalidRequests) {
  const std::string with_nul("a\0b", 3);
  const auto reason = [&](const v1::OpenStageRequest& open) {
    return ErrorReason(client().OpenStage(open).status());
  };
  v1::OpenStageRequest open;
  EXPECT_EQ(reason(open), "INVALID_FIELD") << "no root layer";
  open.set_root_layer(with_nul);
  EXPECT_EQ(reason(open), "INVALID_FIELD");
  open.set_root_layer("/root.usda");
  open.add_population_mask("/P");
  open.add_population_mask("no path");
  EXPECT_EQ(reason(open), "INVALID_PATH");
  open.clear_population_mask();
  open.add_muted_layers(with_nul);
  EXPECT_EQ(reason(open), "INVALID_FIELD");
  open.clear_muted_layers();
  open.mutable_session_layer()->set_identifier(with_nul);
  EXPECT_EQ(reason(open), "INVALID_FIELD");
  open.clear_session_layer();
  open.set_client_name(std::string(200, 'x'));
  EXPECT_TRUE(client().OpenStage(open).ok()) << "a name of 200 bytes";
}

TEST_F(StageHandlersTest, OptionsReachTheStage) {
  Write("root.usda", R"((subLayers = [@strong.usda@])
def "P" (
    variantSets = "look"
) {
    double x.timeSamples = { 0: 0, 2: 10 }
    variantSet "look" = {
        "blue" {
            def "Blue" {}
        }
        "red" {
            def "Red" {}
        }
    }
}
)");
  v1::OpenStageRequest open;
  v1::VariantFallback* fallback = open.add_variant_fallbacks();
  fallback->set_variant_set("look");
  fallback->add_choices("none");
  fallback->add_choices("red");
  open.add_muted_layers("/strong.usda");
  open.set_interpolation(v1::INTERPOLATION_HELD);
  open.mutable_session_layer()->set_content("#usda 1.0\ndef \"Mine\" {}\n");
  const v1::StageRef stage = Open(open);
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Red", "/Mine"}));
  EXPECT_EQ(Numbers(stage, "/P.x", {1}), std::vector<double>{0}) << "held interpolation";
  v1::GetStageRequest get;
  *get.mutable_stage() = stage;
  get.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  const auto got = client().GetStage(get);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->stage().interpolation(), v1::INTERPOLATION_HELD);
  EXPECT_EQ(Strings(got->stage().used_layers().begin(), got->stage().used_layers().end()),
            Strings{"/root.usda"});
}

TEST_F(StageHandlersTest, OnlyTheFirstHandleOpensTheStage) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  EXPECT_TRUE(client().OpenStage(open)->opened());
  EXPECT_FALSE(client().OpenStage(open)->opened());
}

TEST_F(StageHandlersTest, RejectsUnknownDetails) {
  v1::GetStageRequest get;
  *get.mutable_stage() = Open();
  const auto plain = client().GetStage(get);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->stage().used_layers_size(), 0);
  EXPECT_EQ(plain->stage().root_layer(), "/root.usda");
  get.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  get.add_details(static_cast<v1::StageDetail>(99));
  EXPECT_EQ(ErrorReason(client().GetStage(get).status()), "INVALID_FIELD");
}

TEST_F(StageHandlersTest, ClosingTwiceFails) {
  v1::CloseStageRequest close;
  close.set_handle(Open().handle());
  EXPECT_TRUE(client().CloseStage(close).ok());
  EXPECT_EQ(ErrorReason(client().CloseStage(close).status()), "STAGE_NOT_FOUND");
}

TEST_F(StageHandlersTest, LimitsTheSizeOfSessionLayers) {
  ServerOptions options;
  options.limits.max_session_layer_bytes = 40;
  Start(options);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  std::string content = "#usda 1.0\n";
  content.append(40 - content.size(), ' ');
  open.mutable_session_layer()->set_content(content);
  EXPECT_TRUE(client().OpenStage(open).ok());
  open.mutable_session_layer()->set_content(content + " ");
  EXPECT_EQ(ErrorReason(client().OpenStage(open).status()), "REQUEST_TOO_LARGE");
}

TEST_F(StageHandlersTest, PagesHave100StagesWith100NamesEach) {
  v1::OpenStageRequest open;
  for (int i = 0; i < 101; ++i) {
    Write(Concat("s", i, ".usda"), "");
    open.set_root_layer(Concat("/s", i, ".usda"));
    open.set_client_name(Concat("farm/", i));
    Open(open);
    open.set_root_layer("/root.usda");
    Open(open);
  }
  const auto first = client().ListStages({});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->stages_size(), 100);
  int names = 0;
  for (const v1::Stage& stage : first->stages()) {
    if (stage.root_layer() != "/root.usda") continue;
    names = stage.client_names_size();
    EXPECT_EQ(stage.lease_count(), 101u);
  }
  EXPECT_EQ(names, 100);
  v1::ListStagesRequest next;
  next.set_page_token(first->next_page_token());
  const auto second = client().ListStages(next);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->stages_size(), 2);
  EXPECT_EQ(second->next_page_token(), "");
  next.set_page_size(2);
  EXPECT_EQ(client().ListStages(next)->next_page_token(), "") << "the last page";
}

TEST_F(StageHandlersTest, RepliesAreBounded) {
  ServerOptions options;
  options.limits.max_reply_bytes = 2 * sizeof(v1::Stage) + 150;
  Start(options);
  Open();
  EXPECT_TRUE(client().ListStages({}).ok());
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.set_client_name(std::string(190, 'x'));
  Open(open);
  EXPECT_EQ(ErrorReason(client().ListStages({}).status()), "REQUEST_TOO_LARGE");
  Write("long.usda",
        Concat("(customLayerData = { string by = \"", std::string(500, 'x'), "\" })\n"));
  open.set_root_layer("/long.usda");
  v1::GetStageRequest get;
  *get.mutable_stage() = Open(open);
  EXPECT_TRUE(client().GetStage(get).ok());
  get.add_details(v1::STAGE_DETAIL_METADATA);
  EXPECT_EQ(ErrorReason(client().GetStage(get).status()), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
