// Tests of resolver contexts across a whole server.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

// A layer with the attribute /A.x.
std::string LayerWith(double x) { return Concat("def \"A\" {\n  double x = ", x, "\n}\n"); }

class ResolverContextTest : public ServerTest {
 protected:
  ResolverContextTest() {
    Write("root.usda", R"(( subLayers = [@./shared.usda@] )
def "P" ( references = @lib/a.usda@</A> ) {
  asset file = @lib/a.usda@
}
)");
    Write("shared.usda", "def \"S\" {}\n");
    Write("one/lib/a.usda", LayerWith(1));
    Write("two/lib/a.usda", LayerWith(2));
  }

  static v1::OpenStageRequest Request(const Strings& search_paths) {
    v1::OpenStageRequest request;
    request.set_root_layer("/root.usda");
    for (const std::string& path : search_paths) {
      request.mutable_resolver_context()->add_search_paths(path);
    }
    return request;
  }
  static void AddPin(v1::OpenStageRequest& request, std::string_view from, std::string_view to) {
    v1::ResolverContext::Pin* pin = request.mutable_resolver_context()->add_pins();
    pin->set_asset_path(std::string(from));
    pin->set_target(std::string(to));
  }
  static void AddLayer(v1::OpenStageRequest& request, std::string_view name,
                       std::string_view text) {
    v1::ResolverContext::InMemoryLayer* layer = request.mutable_resolver_context()->add_layers();
    layer->set_identifier(std::string(name));
    layer->set_content(Concat("#usda 1.0\n", text));
  }

  v1::OpenStageResponse Opened(const v1::OpenStageRequest& request) {
    const auto reply = client().OpenStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.value_or(v1::OpenStageResponse());
  }
  double ValueIn(const v1::OpenStageRequest& request, const std::string& path = "/P.x",
                 double frame = 1) {
    const std::vector<double> values = Numbers(Open(request), path, {frame});
    return values.empty() ? 0 : values.front();
  }
  uint64_t LayerOpens() {
    const auto stats = client().GetCacheStatistics({});
    EXPECT_TRUE(stats.ok()) << stats.status();
    for (const v1::CacheStatistics& cache : stats->caches()) {
      if (cache.name() == "layers") return cache.opens();
    }
    return 0;
  }
  void WritePins(std::string_view text) {
    ASSERT_TRUE(files_->Put("/pins.json", std::string(text)).ok());
  }
};

TEST_F(ResolverContextTest, StagesOfDifferentContextsAreApartButShareLayers) {
  EXPECT_EQ(ValueIn(Request({"/one", "/two"})), 1);
  EXPECT_EQ(ValueIn(Request({"/two", "/one"})), 2);
  EXPECT_EQ(LayerOpens(), 4u) << "root.usda and shared.usda once, and two lib/a.usda";
  EXPECT_NE(Opened(Request({"/one"})).routing_key(), Opened(Request({"/two"})).routing_key());
}

TEST_F(ResolverContextTest, EqualContextsShareAStage) {
  v1::OpenStageRequest request = Request({"/one"}), same = Request({"/x/../one/"});
  AddPin(request, "/a", "/b");
  AddPin(request, "/c", "/d");
  AddPin(same, "/c", "/d");
  AddPin(same, "/a", "/b");
  const v1::OpenStageResponse first = Opened(request), second = Opened(same);
  EXPECT_TRUE(first.opened());
  EXPECT_FALSE(second.opened());
  EXPECT_EQ(first.stage().snapshot(), second.stage().snapshot());
  EXPECT_EQ(first.routing_key(), second.routing_key());
}

TEST_F(ResolverContextTest, ASessionIsOfOneContext) {
  v1::OpenStageRequest one = Request({"/one"}), two = Request({"/two"});
  one.set_session("shot");
  two.set_session("shot");
  const v1::StageRef held = Open(one);
  EXPECT_EQ(ErrorReason(client().OpenStage(two).status()), "SESSION_CONFLICT");
  EXPECT_TRUE(client().OpenStage(one).ok());
}

TEST_F(ResolverContextTest, PinsReplaceAssets) {
  v1::OpenStageRequest request = Request({"/one"});
  AddPin(request, "/one/lib/a.usda", "/two/lib/a.usda");
  EXPECT_EQ(ValueIn(request), 2);
  const auto reply = client().BatchGetValues(
      RequestFor<v1::BatchGetValuesRequest>(Open(request), {"/P.file"}, {1}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_NE(reply->ShortDebugString().find("/two/lib/a.usda"), std::string::npos)
      << reply->ShortDebugString();
}

TEST_F(ResolverContextTest, AChangedPinFileMakesTheStageStale) {
  WritePins(R"({"lib/a.usda": "/one/lib/a.usda"})");
  v1::OpenStageRequest request = Request({});
  request.mutable_resolver_context()->add_pin_files("/pins.json");
  const v1::OpenStageResponse first = Opened(request);
  EXPECT_FALSE(Opened(request).opened());
  v1::StageRef held;
  held.set_handle(first.handle());
  EXPECT_EQ(Numbers(held, "/P.x", {1}), std::vector<double>{1});

  WritePins(R"({"lib/a.usda": "/two/lib/a.usda"})");
  EXPECT_EQ(Numbers(held, "/P.x", {1}), std::vector<double>{1}) << "until it is reloaded";
  const v1::OpenStageResponse second = Opened(request);
  EXPECT_TRUE(second.opened());
  EXPECT_NE(second.stage().snapshot(), first.stage().snapshot());
  EXPECT_EQ(second.routing_key(), first.routing_key());
  EXPECT_EQ(ValueIn(request), 2);

  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = held;
  const auto reloaded = client().ReloadStage(reload);
  ASSERT_TRUE(reloaded.ok()) << reloaded.status();
  EXPECT_EQ(Strings(reloaded->reloaded_layers().begin(), reloaded->reloaded_layers().end()),
            Strings{"/pins.json"});
  EXPECT_EQ(reloaded->snapshot(), second.stage().snapshot());
  EXPECT_EQ(Numbers(held, "/P.x", {1}), std::vector<double>{2});
  EXPECT_EQ(client().ReloadStage(reload)->snapshot(), reloaded->snapshot()) << "nothing changed";
}

TEST_F(ResolverContextTest, ALayerCanBeSublayerAndReferenceTarget) {
  v1::OpenStageRequest request = Request({});
  AddLayer(request, "/shared.usda",
           "def \"Q\" ( references = @./new.usda@</A> ) {}\ndef \"T\" {}\n");
  AddLayer(request, "/new.usda", LayerWith(7));
  const v1::StageRef stage = Open(request);
  EXPECT_EQ(Numbers(stage, "/Q.x", {1}), std::vector<double>{7});
  EXPECT_EQ(Paths(stage), (Strings{"/Q", "/T", "/P"}));
  EXPECT_EQ(Paths(Open(Request({}))), (Strings{"/S", "/P"})) << "other contexts see the file";
}

TEST_F(ResolverContextTest, ALayerCanBeTheRoot) {
  v1::OpenStageRequest request = Request({});
  request.set_root_layer("memory://job/root.usda");
  AddLayer(request, "memory://job/root.usda", "(subLayers = [@./sub.usda@, @/shared.usda@])\n");
  AddLayer(request, "memory://job/sub.usda", LayerWith(8));
  const v1::StageRef stage = Open(request);
  EXPECT_EQ(Numbers(stage, "/A.x", {1}), std::vector<double>{8});
  EXPECT_EQ(Paths(stage), (Strings{"/S", "/A"}));
}

TEST_F(ResolverContextTest, ALayerCanBeAClip) {
  WriteClips(3);
  v1::OpenStageRequest request = Request({});
  AddLayer(request, "/clip.2.usda", "def \"C\" { double x.timeSamples = { 2: 99 }; }\n");
  v1::OpenStageRequest other = Request({});
  AddLayer(other, "/clip.2.usda", "def \"C\" { double x.timeSamples = { 2: 77 }; }\n");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ValueIn(request, "/P.x", 2), 99);
    EXPECT_EQ(ValueIn(other, "/P.x", 2), 77);
    EXPECT_EQ(ValueIn(Request({}), "/P.x", 2), 20);
    EXPECT_EQ(ValueIn(request, "/P.x", 3), 30);
    EXPECT_EQ(ValueIn(other, "/P.x", 3), 30);
  }
  v1::GetCacheStatisticsRequest stats;
  stats.set_with_layers(true);
  const auto reply = client().GetCacheStatistics(stats);
  ASSERT_TRUE(reply.ok()) << reply.status();
  for (const v1::ClipLayerStatistics& clip : reply->clip_layers()) {
    if (clip.identifier() == "/clip.2.usda") {
      EXPECT_EQ(clip.opens(), 3u) << "once for each content";
    } else if (clip.identifier() == "/clip.3.usda") {
      EXPECT_EQ(clip.opens(), 1u) << "shared by the contexts";
    }
  }
}

TEST_F(ResolverContextTest, WhatIsLoadedLaterResolvesInTheContext) {
  Write("root.usda", "def \"P\" ( payload = @lib/a.usda@</A> ) {}\n");
  v1::OpenStageRequest request = Request({"/two"});
  request.set_load_policy(v1::LOAD_POLICY_NONE);
  const v1::StageRef stage = Open(request);
  v1::LoadPrimsRequest load;
  *load.mutable_stage() = stage;
  load.add_paths("/P");
  ASSERT_TRUE(client().LoadPrims(load).ok());
  EXPECT_EQ(Numbers(stage, "/P.x", {1}), std::vector<double>{2});

  v1::SetSessionLayerRequest session;
  *session.mutable_stage() = stage;
  session.mutable_session_layer()->set_content(
      "#usda 1.0\ndef \"Q\" ( references = @lib/a.usda@</A> ) {}\n");
  ASSERT_TRUE(client().SetSessionLayer(session).ok());
  EXPECT_EQ(Numbers(stage, "/Q.x", {1}), std::vector<double>{2});

  Write("two/lib/a.usda", LayerWith(3));
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  ASSERT_TRUE(client().ReloadStage(reload).ok());
  EXPECT_EQ(Numbers(stage, "/P.x", {1}), std::vector<double>{3});
}

TEST_F(ResolverContextTest, ToolsThatOpenAStageUseTheContext) {
  v1::ListDependenciesRequest list;
  *list.mutable_source()->mutable_open() = Request({"/two"});
  AddLayer(*list.mutable_source()->mutable_open(), "/shared.usda", "");
  Strings resolved;
  for (const auto& part : All(&Client::ListDependencies, list)) {
    for (const v1::Dependency& found : part.dependencies()) {
      resolved.push_back(found.resolved_path());
    }
  }
  std::sort(resolved.begin(), resolved.end());
  resolved.erase(std::unique(resolved.begin(), resolved.end()), resolved.end());
  EXPECT_EQ(resolved, (Strings{"/shared.usda", "/two/lib/a.usda"}));

  v1::LocalizeStageRequest localize;
  localize.mutable_source()->mutable_stage()->set_handle(Opened(list.source().open()).handle());
  std::string files;
  for (const auto& part : All(&Client::LocalizeStage, localize)) files += part.chunk().data();
  EXPECT_NE(files.find("double x = 2"), std::string::npos) << files;
  EXPECT_EQ(files.find("double x = 1"), std::string::npos) << files;

  v1::FlattenStageRequest flatten;
  *flatten.mutable_source() = list.source();
  flatten.set_format(v1::LAYER_FORMAT_USDA);
  std::string flat;
  for (const auto& part : All(&Client::FlattenStage, flatten)) flat += part.data();
  EXPECT_NE(flat.find("double x = 2"), std::string::npos) << flat;
}

TEST_F(ResolverContextTest, MalformedPartsFailTheCallWithTheirLocation) {
  v1::OpenStageRequest request = Request({});
  AddLayer(request, "/unused.usda", "def \"A\" {\n  double x = }\n");
  absl::Status status = client().OpenStage(request).status();
  EXPECT_EQ(ErrorReason(status), "LAYER_SYNTAX");
  EXPECT_TRUE(Message(status).starts_with("/unused.usda:3:")) << status;

  request = Request({});
  request.mutable_resolver_context()->add_pin_files("/pins.json");
  status = client().OpenStage(request).status();
  EXPECT_EQ(ErrorReason(status), "LAYER_NOT_FOUND") << status;
  WritePins("{\n\"a\": }");
  status = client().OpenStage(request).status();
  EXPECT_EQ(ErrorReason(status), "LAYER_SYNTAX") << status;
  EXPECT_TRUE(Message(status).starts_with("pin file: /pins.json:2:6: ")) << status;
  WritePins("{}");
  EXPECT_TRUE(client().OpenStage(request).ok());
}

}  // namespace
}  // namespace stagedoor::server
