#include "server/sharing/warm_up.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "resolver/memory/memory_resolver.h"
#include "server/handlers/warm_handler.h"
#include "server/testing/bare_replica.h"
#include "server/testing/gated_resolver.h"

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;

// A replica that warms up, on the thread that starts it.
struct WarmReplica {
  WarmReplica(std::shared_ptr<const Resolver> resolver, std::shared_ptr<SharedRecords> records,
              WarmUp::Options options, const StageCacheOptions& stage_options)
      : replica(std::move(resolver), std::move(records), {}, stage_options),
        warm_up(
            replica.sharing, replica.daemon.stages,
            [this](RequestContext& context, const v1::WarmStageRequest& request) {
              return WarmStage(replica.state.Get<SourceState>(), context, request);
            },
            replica.daemon.executor, WithCount(std::move(options))) {}

  WarmUp::Options WithCount(WarmUp::Options options) {
    options.ended = [this] { ++ended; };
    return options;
  }
  LruCacheStats stages() const { return replica.daemon.stages.Stats(); }
  // The root layers of the stages that are open.
  std::set<std::string> roots() const {
    std::set<std::string> roots;
    for (const auto& snapshot : replica.daemon.stages.Idle()) {
      roots.insert(snapshot->stage().options().root);
    }
    return roots;
  }

  std::atomic<int> ended{0};
  BareReplica replica;
  WarmUp warm_up;
};

class WarmUpTest : public ::testing::Test {
 protected:
  WarmUpTest() {
    for (const std::string name : {"a", "b", "c"}) {
      std::string text = "#usda 1.0\n";
      for (int i = 0; i < 200; ++i) text += Concat("def \"P", i, "\" {\n double x = 1\n}\n");
      EXPECT_TRUE(files_->Put("/" + name + ".usda", text).ok());
    }
  }

  static v1::OpenStageRequest Request(const std::string& root_layer) {
    v1::OpenStageRequest request;
    request.set_root_layer(root_layer);
    return request;
  }
  // Lets clients of another replica open a stage.
  void Use(const std::string& root_layer, int leases) {
    for (int i = 0; i < leases; ++i) other_.Open(root_layer);
    other_.sharing.Report();
  }
  void UseAll() {
    Use("/c.usda", 3);
    Use("/a.usda", 2);
    Use("/b.usda", 1);
  }
  // Records the use of a recipe of any content.
  void Record(const std::string& record) {
    RequestContext context;
    const std::vector<SessionStore::Use> uses = {{"id", record, 9}};
    EXPECT_TRUE(other_.store.RecordUses(context, uses, SessionSharing::kUseSlot).ok());
  }
  std::unique_ptr<WarmReplica> MakeReplica(WarmUp::Options options = {},
                                           const StageCacheOptions& stage_options = {}) {
    return std::make_unique<WarmReplica>(resolver_, records_, std::move(options), stage_options);
  }
  std::unique_ptr<WarmReplica> StartReplica(WarmUp::Options options = {},
                                            const StageCacheOptions& stage_options = {}) {
    auto replica = MakeReplica(std::move(options), stage_options);
    replica->warm_up.Start();
    EXPECT_EQ(replica->ended, 1);
    return replica;
  }
  static std::string Describe(const WarmUp::Stats& stats) {
    return Concat(stats.warmed, " warmed, ", stats.failed, " failed, ", stats.skipped, " skipped");
  }
  static std::string ResultOf(const WarmReplica& replica) {
    return Describe(replica.warm_up.GetStats());
  }

  std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<const Resolver> resolver_ = files_;  // of the replicas that warm up
  std::shared_ptr<SharedRecords> records_ = std::make_shared<SharedRecords>();
  BareReplica other_{files_, records_, {.use_interval = 0ms}};
};

using Roots = std::set<std::string>;

TEST_F(WarmUpTest, ClientsFindStagesOpen) {
  UseAll();
  const auto replica = StartReplica();
  EXPECT_EQ(ResultOf(*replica), "3 warmed, 0 failed, 0 skipped");
  EXPECT_EQ(replica->roots(), (Roots{"/a.usda", "/b.usda", "/c.usda"}));
  replica->replica.Open("/a.usda");
  EXPECT_EQ(replica->stages().loads, 3);
}

TEST_F(WarmUpTest, AttributesAreCompiled) {
  Use("/a.usda", 1);
  const auto replica = StartReplica();
  const auto warmed = replica->replica.daemon.stages.Idle().at(0);
  const auto opened = other_.daemon.leases.All().at(0).session->Newest();
  EXPECT_GT(warmed->stage().queries().byte_size(), opened->stage().queries().byte_size());
}

TEST_F(WarmUpTest, TheHottestStagesAreWarmed) {
  UseAll();
  EXPECT_EQ(StartReplica({.max_stages = 1})->roots(), Roots{"/c.usda"});
  EXPECT_EQ(StartReplica({.max_stages = 2})->roots(), (Roots{"/a.usda", "/c.usda"}));
}

TEST_F(WarmUpTest, WithoutUsesThereIsNothingToDo) {
  EXPECT_EQ(ResultOf(*StartReplica()), "0 warmed, 0 failed, 0 skipped");
}

TEST_F(WarmUpTest, WithoutTheStoreNothingIsWarmed) {
  UseAll();
  other_.store.SetReachable(false);
  EXPECT_EQ(ResultOf(*StartReplica()), "0 warmed, 0 failed, 0 skipped");
}

TEST_F(WarmUpTest, WhatCannotBeOpenedIsPassedOver) {
  UseAll();
  files_->Remove("/a.usda");
  const auto replica = StartReplica();
  EXPECT_EQ(ResultOf(*replica), "2 warmed, 1 failed, 0 skipped");
  EXPECT_EQ(replica->roots(), (Roots{"/b.usda", "/c.usda"}));
}

TEST_F(WarmUpTest, StagesOfAScopeAreOpenedWithItOnly) {
  const Caller ann = MakeCaller("ann", "/"), bob = MakeCaller("bob", "/a.usda");
  other_.OpenAs(ann, Request("/b.usda"));
  Use("/a.usda", 2);  // by callers who may read everything
  // Replicas with roles of other scopes.
  const auto without = StartReplica({.scopes = {bob.grants->assets, nullptr}});
  EXPECT_EQ(ResultOf(*without), "1 warmed, 0 failed, 1 skipped");
  EXPECT_EQ(without->roots(), Roots{"/a.usda"});
  const auto neither = StartReplica({.scopes = {bob.grants->assets}});
  EXPECT_EQ(ResultOf(*neither), "0 warmed, 0 failed, 2 skipped");
  EXPECT_EQ(neither->stages().loads, 0);
  // An equal scope, which was made from other options.
  const auto with = StartReplica({.scopes = {nullptr, MakeCaller("", "/").grants->assets}});
  EXPECT_EQ(ResultOf(*with), "2 warmed, 0 failed, 0 skipped");
  with->replica.OpenAs(ann, Request("/b.usda"));
  EXPECT_EQ(with->stages().loads, 2);
  with->replica.Open("/b.usda");  // not the stage of the scope
  EXPECT_EQ(with->stages().loads, 3);
}

TEST_F(WarmUpTest, AScopeStillBounds) {
  // A role gets no assets that it may not read, whatever the store says.
  const Caller bob = MakeCaller("bob", "/a.usda");
  store::v1::RecipeRecord record;
  record.mutable_recipe()->set_root_layer("/b.usda");
  record.set_access_scope(bob.grants->assets->fingerprint());
  Record(record.SerializeAsString());
  const auto replica = StartReplica({.scopes = {bob.grants->assets}});
  EXPECT_EQ(ResultOf(*replica), "0 warmed, 1 failed, 0 skipped");
}

TEST_F(WarmUpTest, DamagedRecordsAreIgnored) {
  Record("\xff\xff");
  Use("/a.usda", 1);
  EXPECT_EQ(ResultOf(*StartReplica()), "1 warmed, 0 failed, 0 skipped");
}

TEST_F(WarmUpTest, TheLogHasNothingOfARecipeButItsRootLayer) {
  Use("/a.usda", 1);
  store::v1::RecipeRecord record;
  record.mutable_recipe()->set_root_layer("/b.usda");
  v1::ResolverContext::Pin* const pin =
      record.mutable_recipe()->mutable_resolver_context()->add_pins();
  pin->set_asset_path("/b.usda");
  pin->set_target("/secret.usda");
  Record(record.SerializeAsString());
  std::ostringstream text;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
  const auto replica = StartReplica({.now = [] { return WarmUp::Clock::time_point(); }});
  spdlog::set_default_logger(before);
  EXPECT_EQ(ResultOf(*replica), "1 warmed, 1 failed, 0 skipped");
  EXPECT_NE(text.str().find("[warning] cannot warm the stage of '/b.usda': NOT_FOUND (LAYER_NOT_"
                            "FOUND)\n"),
            std::string::npos)
      << text.str();
  EXPECT_NE(text.str().find("[info] warmed 1 of 2 stages in 0.0 s\n"), std::string::npos)
      << text.str();
  EXPECT_EQ(text.str().find("secret"), std::string::npos) << text.str();
}

// Warms stages within a memory budget. `used_` is the memory of one of them.
class WarmUpBudgetTest : public WarmUpTest {
 protected:
  WarmUpBudgetTest() {
    Use("/c.usda", 3);
    used_ = StartReplica()->stages().bytes;
    Use("/a.usda", 2);
    Use("/b.usda", 1);
  }
  size_t used_ = 0;
};

TEST_F(WarmUpBudgetTest, TheBudgetIsNotFilled) {
  const auto replica = StartReplica({}, {.max_bytes = used_ * 5 / 4});  // 80 % after the first
  EXPECT_EQ(ResultOf(*replica), "1 warmed, 0 failed, 2 skipped");
  EXPECT_EQ(replica->stages().loads, 1);
}

TEST_F(WarmUpBudgetTest, NoStageIsDroppedForAnother) {
  const auto replica = StartReplica({}, {.max_bytes = used_ * 3 / 2});  // 67 % after the first
  EXPECT_EQ(ResultOf(*replica), "1 warmed, 0 failed, 2 skipped");
  EXPECT_EQ(replica->stages().load_failures, 1);
  EXPECT_EQ(replica->stages().evictions, 0);
  EXPECT_EQ(replica->roots(), Roots{"/c.usda"});
}

TEST_F(WarmUpBudgetTest, StagesThatFitAreWarmed) {
  EXPECT_EQ(ResultOf(*StartReplica({}, {.max_bytes = used_ * 4})), "3 warmed, 0 failed, 0 skipped");
}

TEST_F(WarmUpBudgetTest, NothingIsOpenedWhileMemoryIsShort) {
  const auto replica = MakeReplica();
  replica->replica.daemon.stages.budget().SetPressed(true);
  replica->warm_up.Start();
  EXPECT_EQ(ResultOf(*replica), "0 warmed, 0 failed, 3 skipped");
  EXPECT_EQ(replica->stages().loads, 0);
}

TEST_F(WarmUpBudgetTest, StagesAreNotHeldAfterwards) {
  const auto replica = StartReplica();
  RequestContext context;
  ASSERT_TRUE(replica->replica.daemon.stages.EvictIdle(context).ok());
  EXPECT_EQ(replica->stages().entries, 0u);
}

TEST_F(WarmUpTest, NothingIsOpenedWithoutTime) {
  UseAll();
  const auto replica = StartReplica({.timeout = 0ms});
  EXPECT_EQ(ResultOf(*replica), "0 warmed, 0 failed, 0 skipped");
  EXPECT_EQ(replica->stages().loads, 0);
}

TEST_F(WarmUpTest, AStageHasNoMoreTimeThanTheRest) {
  UseAll();
  const WarmReplica* started = nullptr;
  const auto now = [&started] {
    const bool first = started == nullptr || started->stages().loads == 0;
    return WarmUp::Clock::time_point(first ? 0ns : 60s - 1ns);
  };
  const auto replica = MakeReplica({.now = now});
  started = replica.get();
  replica->warm_up.Start();
  EXPECT_EQ(replica->ended, 1);
  EXPECT_EQ(ResultOf(*replica), "1 warmed, 0 failed, 2 skipped");
}

// A warm-up that hangs when it opens the second stage.
class HangingWarmUpTest : public WarmUpTest {
 protected:
  HangingWarmUpTest() {
    UseAll();
    gate_->gated = "/a.usda";
    gate_->closed = true;
    resolver_ = gate_;
    replica_ = MakeReplica({.now = [this] { return now_.load(); }});
    thread_ = std::thread([this] { replica_->warm_up.Start(); });
    gate_->reached.acquire();
    EXPECT_EQ(replica_->ended, 0);
  }
  // Lets the work end.
  void GoOn() {
    gate_->gate.release();
    thread_.join();
  }

  std::shared_ptr<GatedResolver> gate_ = std::make_shared<GatedResolver>(files_);
  std::atomic<WarmUp::Clock::time_point> now_{WarmUp::Clock::now()};
  std::unique_ptr<WarmReplica> replica_;
  std::thread thread_;
};

TEST_F(HangingWarmUpTest, ItEndsInTime) {
  now_ = now_.load() + 59s;
  replica_->warm_up.EndIfLate();
  EXPECT_EQ(replica_->ended, 0);
  now_ = now_.load() + 1s;
  replica_->warm_up.EndIfLate();
  EXPECT_EQ(replica_->ended, 1);
  EXPECT_EQ(ResultOf(*replica_), "1 warmed, 0 failed, 2 skipped");
  GoOn();
  EXPECT_EQ(replica_->ended, 1);
  EXPECT_EQ(ResultOf(*replica_), "1 warmed, 0 failed, 2 skipped");
  EXPECT_EQ(replica_->roots(), Roots{"/c.usda"});
}

TEST_F(HangingWarmUpTest, ItIsStopped) {
  replica_->warm_up.Stop();
  EXPECT_EQ(replica_->ended, 1);
  GoOn();
  replica_->warm_up.Stop();
  EXPECT_EQ(replica_->ended, 1);
  EXPECT_EQ(ResultOf(*replica_), "1 warmed, 0 failed, 2 skipped");
  EXPECT_EQ(replica_->roots(), Roots{"/c.usda"});
}

TEST_F(HangingWarmUpTest, ClientsAreAnsweredMeanwhile) {
  replica_->replica.Open("/b.usda");
  EXPECT_EQ(replica_->stages().entries, 2u);
  GoOn();
  EXPECT_EQ(ResultOf(*replica_), "3 warmed, 0 failed, 0 skipped");
}

}  // namespace
}  // namespace stagedoor::server
