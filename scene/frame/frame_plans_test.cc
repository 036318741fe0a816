#include "scene/frame/frame_plans.h"

#include <memory>
#include <string>
#include <string_view>

#include "scene/frame/testing/frame_fixture.h"

namespace stagedoor {
namespace {

class FramePlansTest : public FrameTest {
 protected:
  std::shared_ptr<const FramePlan> Get(std::string_view key) {
    auto plan = FramePlans::Of(*stage_).Find(context(), *stage_, selection_, key);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.value_or(nullptr);
  }
};

TEST_F(FramePlansTest, RequestsShareThePlanOfASelection) {
  Open("def Mesh \"M\" {}\n");
  const auto plan = Get("a");
  EXPECT_EQ(plan->prims.size(), 1u);
  EXPECT_EQ(Get("a"), plan);
  EXPECT_NE(Get("b"), plan);
}

TEST_F(FramePlansTest, TheStageIsChargedInPlaceOfTheRequest) {
  MemoryPool pool("stages", 1 << 30);
  scene_.mutable_environment().memory = &pool;
  Open("def Mesh \"M\" {}\n");
  const size_t reserved = context().reserved_bytes();
  const auto plan = Get("a");
  EXPECT_EQ(context().reserved_bytes(), reserved);
  EXPECT_EQ(plan->reserved.pool(), &pool);
  EXPECT_EQ(plan->reserved.bytes(), plan->byte_size());
  stage_.reset();
  scene_.mutable_environment().memory = nullptr;
}

TEST_F(FramePlansTest, NothingIsKeptWhileStagesExceedTheirMemory) {
  MemoryPool pool("stages", 1);
  scene_.mutable_environment().memory = &pool;
  Open("def Mesh \"M\" {}\n");
  ASSERT_TRUE(pool.over());
  std::weak_ptr<const FramePlan> plan = Get("a");
  EXPECT_TRUE(plan.expired());
  stage_.reset();
  scene_.mutable_environment().memory = nullptr;
}

TEST_F(FramePlansTest, AFailedPlanIsMadeAgain) {
  Open("def Mesh \"M\" {}\n");
  RequestContext over;
  over.Cancel();
  EXPECT_EQ(FramePlans::Of(*stage_).Find(over, *stage_, selection_, "a").status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(Get("a")->prims.size(), 1u);
}

}  // namespace
}  // namespace stagedoor
