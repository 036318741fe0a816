#include "scene/frame/frame_plans.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/executor.h"
#include "base/pacer.h"
#include "base/strings.h"
#include "scene/frame/frame_planning.h"
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

// ---- Plans in the making

// Prims of all kinds: lights, also as prims, two sets of them, materials, instances, an instancer
// that draws itself.
constexpr std::string_view kScene = R"(
def SphereLight "Key" {
  rel collection:lightLink:includes = </World/B>
  uniform bool collection:lightLink:includeRoot = 0
}
def Mesh "Lamp" (prepend apiSchemas = ["MeshLightAPI"]) {
}
def Scope "World" {
  def PointInstancer "I" {
    rel prototypes = [</World/P>]
  }
  def Xform "P" {
    def PointInstancer "Self" {
      rel prototypes = [</World/P>]
    }
    def Sphere "Ball" {}
  }
  def Mesh "A" (prepend apiSchemas = ["MaterialBindingAPI"]) {
    rel material:binding = </Looks/One>
  }
  def Mesh "B" (prepend apiSchemas = ["MaterialBindingAPI"]) {
    rel material:binding = </Looks/Two>
    def GeomSubset "S" {
      int[] indices = [0]
    }
  }
  def "X" (instanceable = true; references = </Asset>) {
  }
  def "Y" (instanceable = true; references = </Asset>) {
  }
}
def Scope "Asset" {
  def Mesh "M" {
    point3f[] points.timeSamples = { 0: [(0, 0, 0)], 1: [(1, 0, 0)] }
  }
}
def Scope "Looks" {
  def Material "One" {}
  def Material "Two" {}
}
)";

template <typename Object>
std::vector<FrameId> Ids(const std::vector<Object>& objects) {
  std::vector<FrameId> ids;
  for (const Object& object : objects) ids.push_back(object.id);
  return ids;
}

template <typename T>
bool IsBeginOf(const std::vector<T>& begin, const std::vector<T>& all) {
  return begin.size() <= all.size() && std::equal(begin.begin(), begin.end(), all.begin());
}

// Whether what there is of a plan is that of the whole one.
void ExpectBeginOf(const FramePlan& part, const FramePlan& whole) {
  EXPECT_TRUE(IsBeginOf(Ids(part.prims), Ids(whole.prims)));
  EXPECT_TRUE(IsBeginOf(Ids(part.geometry), Ids(whole.geometry)));
  EXPECT_TRUE(IsBeginOf(Ids(part.subsets), Ids(whole.subsets)));
  EXPECT_TRUE(IsBeginOf(Ids(part.materials), Ids(whole.materials)));
  EXPECT_TRUE(IsBeginOf(Ids(part.light_sets), Ids(whole.light_sets)));
  EXPECT_EQ(Ids(part.lights), Ids(whole.lights));
  for (size_t i = 0; i < part.prims.size(); ++i) {
    const FramePrim& a = part.prims[i];
    const FramePrim& b = whole.prims[i];
    EXPECT_EQ(std::tie(a.geometry, a.material, a.light_set, a.shadow_set, a.prototype),
              std::tie(b.geometry, b.material, b.light_set, b.shadow_set, b.prototype));
    EXPECT_LT(a.geometry, part.geometry.size());
  }
}

class FramePlanningTest : public FramePlansTest {
 protected:
  std::unique_ptr<FramePlanning> Begin(size_t rows, std::string_view key = "a") {
    auto planning = FramePlanning::Begin(context(), *stage_, selection_, key, rows);
    EXPECT_TRUE(planning.ok()) << planning.status();
    return planning.ok() ? *std::move(planning) : nullptr;
  }
};

TEST_F(FramePlanningTest, PartsAreTheBeginOfTheWholePlan) {
  Open(kScene);
  const auto whole = Get("whole");
  const auto planning = Begin(1);
  size_t steps = 0;
  for (; !planning->is_whole(); ++steps) {
    EXPECT_EQ(planning->plan()->prims.size(), 1 + steps);
    ExpectBeginOf(*planning->plan(), *whole);
    ASSERT_TRUE(planning->Continue(1).ok());
  }
  EXPECT_EQ(steps, whole->prims.size());
  const FramePlan& made = *planning->plan();
  EXPECT_EQ(Ids(made.prims), Ids(whole->prims));
  EXPECT_EQ(made.varying_geometry, whole->varying_geometry);
  for (size_t i = 0; i < made.geometry.size(); ++i) {
    EXPECT_EQ(made.geometry[i].prototypes, whole->geometry[i].prototypes);
  }
  EXPECT_NE(made.lights[1].geometry, 0u) << "the prim of the mesh light";
  EXPECT_EQ(Get("a"), planning->plan()) << "it is kept";
}

TEST_F(FramePlanningTest, ASmallPlanIsWholeAtOnce) {
  Open("def Mesh \"M\" {}\n");
  const size_t reserved = context().reserved_bytes();
  const auto planning = Begin(10);
  EXPECT_TRUE(planning->is_whole());
  EXPECT_EQ(Begin(10)->plan(), planning->plan());
  EXPECT_EQ(context().reserved_bytes(), reserved) << "the stage is charged";
}

TEST_F(FramePlanningTest, ASecondRequestDoesNotWaitForThePaceOfTheFirst) {
  Open(kScene);
  const auto slow = Begin(1);
  const auto other = Begin(1);
  EXPECT_EQ(other->plan()->prims.size(), 1u);
  ASSERT_TRUE(other->Continue(1).ok());
  EXPECT_TRUE(other->is_whole()) << "it makes the plan for all";
  ASSERT_TRUE(slow->Continue(1).ok());
  EXPECT_EQ(slow->plan(), other->plan()) << "it uses the plan that is there";
}

TEST_F(FramePlanningTest, APlanThatIsGivenUpIsBegunAgain) {
  Open(kScene);
  Begin(1).reset();
  const auto planning = Begin(1);
  ASSERT_TRUE(planning->Continue(1).ok());
  EXPECT_EQ(planning->plan()->prims.size(), 2u) << "part by part";
  EXPECT_GT(context().reserved_bytes(), 0u) << "the request is charged until it is whole";
}

TEST_F(FramePlanningTest, ThreadsMakeThePlanThatOneMakes) {
  std::string text(kScene);
  for (int i = 0; i < 2000; ++i) {
    text += Concat("def Sphere \"S", i, "\" {\n");
    if (i % 3 == 0) text += "token visibility = \"invisible\"\n";
    if (i % 50 == 0) text += "def PointInstancer \"I\" {\ndef Cube \"C\" {}\n}\n";
    text += "}\n";
  }
  std::vector<std::shared_ptr<const FramePlan>> plans;
  std::vector<std::shared_ptr<const Stage>> stages;
  Executor* const threads = scene_.mutable_environment().executor;
  for (Executor* executor : {threads, static_cast<Executor*>(nullptr)}) {
    scene_.mutable_environment().executor = executor;
    Open(text);
    selection_.excluded = FindAll({"/S700", "/World/B"});
    plans.push_back(Get("a"));
    stages.push_back(stage_);
  }
  scene_.mutable_environment().executor = threads;
  ExpectBeginOf(*plans[0], *plans[1]);
  ASSERT_EQ(plans[0]->prims.size(), plans[1]->prims.size());
  for (size_t i = 0; i < plans[0]->prims.size(); ++i) {
    EXPECT_EQ(plans[0]->prims[i].visible, plans[1]->prims[i].visible) << i;
  }
}

// Whenever a request ends, planning stops after few steps, counted as RequestContext does.
TEST_F(FramePlanningTest, PlanningStopsSoonAfterTheRequestIsOver) {
  std::string text = "def Scope \"Asset\" {\n";
  for (int i = 0; i < 100; ++i) text += Concat("def Mesh \"M", i, "\" {}\n");
  text += "}\n";
  for (int i = 0; i < 300; ++i) {
    text += Concat("def \"I", i, "\" (instanceable = true; references = </Asset>) {}\n");
  }
  Open(text);
  Plan();  // which fills the tables of the stage
  RequestContext all;
  ASSERT_TRUE(MakeFramePlan(all, *stage_, selection_).ok());
  ASSERT_GT(all.steps(), 30'000u);
  constexpr uint64_t kMostStepsAfterwards = 8 * Pacer::kStride;
  for (uint64_t part = 0; part < 45; ++part) {
    const uint64_t most = all.steps() * part / 50;
    RequestContext over(RequestContext::Clock::time_point::max(), {.max_steps = most});
    EXPECT_FALSE(MakeFramePlan(over, *stage_, selection_).ok()) << most;
    EXPECT_LE(over.steps(), most + kMostStepsAfterwards) << most;
  }
}

}  // namespace
}  // namespace stagedoor
