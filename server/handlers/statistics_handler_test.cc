#include "server/handlers/statistics_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class StatisticsHandlerTest : public ServerTest {
 protected:
  StatisticsHandlerTest() {
    Write("asset.usda", R"(
def Xform "Chair" (
  kind = "component"
  assetInfo = { string name = "chair" }
) {
  def Mesh "Seat" {}
  over "Gone" {}
}
)");
    Write("root.usda", R"(
def "World" (kind = "group") {
  def "A" (
    instanceable = true
    references = @asset.usda@</Chair>
  ) {}
  def "B" (
    instanceable = true
    references = @asset.usda@</Chair>
  ) {}
  def Cube "C" (active = false) {}
}
def "Later" (payload = @asset.usda@</Chair>) {}
)");
    stage_ = Open();
  }
  v1::StageRef Open() {
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    return ServerTest::Open(open);
  }
  absl::StatusOr<v1::ComputeStageStatisticsResponse> Compute(
      const std::vector<std::string>& roots = {}) {
    v1::ComputeStageStatisticsRequest request;
    *request.mutable_stage() = stage_;
    for (const std::string& root : roots) request.add_roots(root);
    return client().ComputeStageStatistics(request);
  }
  static std::string Types(const v1::PrimCounts& counts) {
    std::string text;
    for (const v1::TypeCount& type : counts.types()) {
      text += Concat("[", type.type_name(), "] ", type.count(), " ");
    }
    return text;
  }

  v1::StageRef stage_;
};

TEST_F(StatisticsHandlerTest, CountsTheStage) {
  const auto reply = Compute();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot().size(), 32u);
  EXPECT_EQ(reply->used_layer_count(), 2u);
  EXPECT_EQ(reply->model_count(), 3u);
  EXPECT_EQ(reply->instanced_model_count(), 2u);
  EXPECT_EQ(reply->asset_count(), 1u);
  EXPECT_EQ(reply->prototype_count(), 1u);
  EXPECT_EQ(reply->primary().total(), 7u);
  EXPECT_EQ(reply->primary().active(), 6u);
  EXPECT_EQ(reply->primary().inactive(), 1u);
  EXPECT_EQ(reply->primary().pure_over(), 1u);
  EXPECT_EQ(reply->primary().instance(), 2u);
  EXPECT_EQ(reply->primary().payload(), 1u);
  EXPECT_EQ(reply->primary().unloaded_payload(), 0u);
  EXPECT_EQ(Types(reply->primary()), "[] 2 [Cube] 1 [Mesh] 1 [Xform] 3 ");
  EXPECT_EQ(reply->prototypes().total(), 2u);
  EXPECT_EQ(Types(reply->prototypes()), "[] 1 [Mesh] 1 ");
}

TEST_F(StatisticsHandlerTest, CountsSubtrees) {
  const auto reply = Compute({"/World/A", "/Later/Seat"});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(Types(reply->primary()), "[Mesh] 1 [Xform] 1 ");
  EXPECT_EQ(reply->prototype_count(), 1u);
  EXPECT_EQ(ErrorReason(Compute({"/World", "/None"}).status()), "PRIM_NOT_FOUND");
  EXPECT_EQ(ErrorReason(Compute({"World"}).status()), "INVALID_PATH");
}

TEST_F(StatisticsHandlerTest, RepliesAreBounded) {
  ServerOptions options;
  options.limits.max_reply_bytes = 20000;
  Start(options);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += Concat("def T", i, " \"P", i, "\" {}\n");
  Write("root.usda", text);
  stage_ = Open();
  EXPECT_EQ(ErrorReason(Compute().status()), "REQUEST_TOO_LARGE");
  EXPECT_TRUE(Compute({"/P1", "/P2"}).ok());
}

}  // namespace
}  // namespace stagedoor::server
