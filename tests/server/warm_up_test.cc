// A replica that starts opens what clients of the others use most before it reports that it serves.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/testing/gated_resolver.h"
#include "server/testing/health_of.h"
#include "server/testing/replicas_test.h"

namespace stagedoor::server {
namespace {

using Health = grpc::health::v1::HealthCheckResponse;

class WarmUpReplicasTest : public ReplicasTest {
 protected:
  WarmUpReplicasTest() { options_.use_report_interval = std::chrono::milliseconds(0); }
  void SetUp() override {
    for (const std::string name : {"root", "hot"}) {
      Write(name + ".usda", "def \"P\" {\n double a = 0\n}\n");
    }
  }

  Opened OpenRoot(size_t number, const std::string& root) {
    v1::OpenStageRequest request;
    request.set_root_layer(root);
    return Open(number, request);
  }
  // Opens stages at the first replica, and waits until it has reported that.
  void UseStages() {
    OpenRoot(0, "/root.usda");
    for (int i = 0; i < 2; ++i) OpenRoot(0, "/hot.usda");
    Await([this] {
      RequestContext context;
      const auto recipes = store().HottestRecipes(context, 9, std::chrono::minutes(5));
      return recipes.ok() && recipes->size() == 2;
    });
  }
  // Makes the next opening of a file at the replicas that start from now on wait.
  std::shared_ptr<GatedResolver> CloseGate(const std::string& path) {
    auto gate = std::make_shared<GatedResolver>(files_);
    gate->gated = path;
    gate->closed = true;
    resolver_ = gate;
    return gate;
  }
  Health::ServingStatus HealthAt(size_t number, const std::string& service = "") {
    return HealthOf(*At(number).server, service);
  }
  void AwaitServing(size_t number) {
    Await([&] { return HealthAt(number) == Health::SERVING; });
  }
  uint64_t OpensOfStages(size_t number) {
    const auto reply = client(number).GetCacheStatistics({});
    EXPECT_TRUE(reply.ok()) << reply.status();
    for (const v1::CacheStatistics& cache : reply->caches()) {
      if (cache.name() == "stages") return cache.opens();
    }
    return 0;
  }
};

TEST_F(WarmUpReplicasTest, AReplicaThatStartsHasTheHottestStages) {
  UseStages();
  AwaitServing(1);
  EXPECT_EQ(OpensOfStages(1), 2u);
  OpenRoot(1, "/root.usda");
  OpenRoot(1, "/hot.usda");
  EXPECT_EQ(OpensOfStages(1), 2u);
}

TEST_F(WarmUpReplicasTest, ItIsNotServingUntilThen) {
  UseStages();
  const auto gate = CloseGate("/root.usda");
  At(1);
  gate->reached.acquire();
  EXPECT_EQ(HealthAt(1), Health::NOT_SERVING);
  EXPECT_EQ(HealthAt(1, "stagedoor.v1.QueryService"), Health::NOT_SERVING);
  EXPECT_EQ(OpensOfStages(1), 1u) << "the hottest comes first; calls are answered";
  OpenRoot(1, "/hot.usda");
  gate->gate.release();
  AwaitServing(1);
  EXPECT_EQ(HealthAt(1, "stagedoor.v1.QueryService"), Health::SERVING);
  EXPECT_EQ(OpensOfStages(1), 2u);
}

TEST_F(WarmUpReplicasTest, WithoutTheStoreItServes) {
  UseStages();
  store().SetReachable(false);
  AwaitServing(1);
  EXPECT_EQ(OpensOfStages(1), 0u);
}

TEST_F(WarmUpReplicasTest, OneThatStopsNeverServes) {
  UseStages();
  const auto gate = CloseGate("/hot.usda");
  At(1);
  gate->reached.acquire();
  At(1).server->AnnounceShutdown();  // ends the warm-up, too
  EXPECT_EQ(HealthAt(1), Health::NOT_SERVING);
  gate->gate.release();
  Kill(1);
}

TEST_F(WarmUpReplicasTest, ItCanBeSwitchedOff) {
  UseStages();
  options_.warm_up_stages = 0;
  const auto gate = CloseGate("/hot.usda");
  EXPECT_EQ(HealthAt(1), Health::SERVING);
  EXPECT_EQ(OpensOfStages(1), 0u);
  EXPECT_TRUE(gate->closed);
}

TEST_F(WarmUpReplicasTest, TheNumberOfStagesIsBounded) {
  UseStages();
  options_.warm_up_stages = 1;
  AwaitServing(1);
  EXPECT_EQ(OpensOfStages(1), 1u);
  options_.warm_up_stages = 16;
  options_.stages.max_idle_stages = 1;
  AwaitServing(2);
  EXPECT_EQ(OpensOfStages(2), 1u) << "more would be dropped at once";
}

TEST_F(WarmUpReplicasTest, ItMayTakeOnlySoLong) {
  UseStages();
  options_.warm_up_timeout = std::chrono::milliseconds(200);
  const auto gate = CloseGate("/hot.usda");
  AwaitServing(1);  // although it hangs, if it has come so far
  gate->gate.release();
}

}  // namespace
}  // namespace stagedoor::server
