#include "server/handlers/geom_stream_handlers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "server/testing/geom_scene_test.h"
#include "server/testing/packed_values.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

using GeomStreamHandlersTest = GeomSceneTest;

TEST_F(GeomStreamHandlersTest, ReturnsInstancesByTimeAndMask) {
  auto request = MakeRequest<v1::ComputeInstanceTransformsRequest>({"/I", "/X"}, {0, 5});
  std::vector<v1::InstancerTransforms> items;
  const auto collect = [&](const v1::ComputeInstanceTransformsResponse& part) {
    items.insert(items.end(), part.items().begin(), part.items().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().ComputeInstanceTransforms(request, collect).ok());
  ASSERT_EQ(items.size(), 4u);
  const auto numbers = Unpack<double>(items[1].transforms());
  ASSERT_EQ(numbers.size(), 32u);  // the instance in the middle is invisible
  EXPECT_EQ(numbers[13], 2.5);
  EXPECT_EQ(numbers[14], 1);
  EXPECT_EQ(numbers[16 + 12], 2);
  EXPECT_EQ(items[1].prototype_indices().count(), 2u);
  EXPECT_EQ(Strings(items[1].prototypes().begin(), items[1].prototypes().end()),
            (Strings{"/I/A", "/I/B"}));
  EXPECT_TRUE(items[2].has_error());
  items.clear();
  request.set_ignore_mask(true);
  request.set_exclude_prototype_transforms(true);
  ASSERT_TRUE(client().ComputeInstanceTransforms(request, collect).ok());
  const auto all = Unpack<double>(items[0].transforms());
  ASSERT_EQ(all.size(), 48u);
  EXPECT_EQ(all[14], 0);
}

TEST_F(GeomStreamHandlersTest, ReturnsPointsInMotion) {
  Write("root.usda", R"((
  timeCodesPerSecond = 1
)
def Mesh "M" ( apiSchemas = ["MotionAPI"] ) {
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 5: [(5, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(0, 100, 0)], 5: [(0, 100, 0)] }
  float motion:blurScale = 2
  int motion:nonlinearSampleCount = 5
  float motion:velocityScale = 7
}
def Xform "X" {}
)");
  stage_ = Open();
  auto request = MakeRequest<v1::ComputePointsRequest>({"/M", "/X", "/None"}, {2, 6});
  const auto items = [&] {
    std::vector<v1::MovingPoints> found;
    for (const auto& part : All(&Client::ComputePoints, request)) {
      found.insert(found.end(), part.items().begin(), part.items().end());
    }
    return found;
  };
  auto found = items();
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(Unpack<float>(found[0].points()), (std::vector<float>{0, 200, 0}));
  EXPECT_EQ(Unpack<float>(found[1].points()), (std::vector<float>{5, 100, 0}));
  EXPECT_EQ(found[0].blur_scale(), 2);
  EXPECT_EQ(found[0].nonlinear_sample_count(), 5);
  EXPECT_EQ(found[0].velocity_scale(), 7);
  EXPECT_EQ(found[3].item(), 3u);
  EXPECT_FALSE(found[3].has_points() || found[3].has_error()) << "not a prim with points";
  EXPECT_EQ(found[3].nonlinear_sample_count(), 3);
  EXPECT_EQ(found[4].error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  request.mutable_base_time()->set_numeric(5);
  found = items();
  EXPECT_EQ(Unpack<float>(found[0].points()), (std::vector<float>{5, -300, 0}));
  request.mutable_base_time()->mutable_default_time();
  EXPECT_TRUE(items()[0].has_error());
  request.mutable_base_time()->set_numeric(std::nan(""));
  EXPECT_EQ(ErrorReason(End(&Client::ComputePoints, request)), "INVALID_TIME");
}

class SubsetsTest : public GeomStreamHandlersTest {
 protected:
  void SetUp() override {
    GeomStreamHandlersTest::SetUp();
    Write("root.usda", R"(
def Mesh "M" {
  int[] faceVertexCounts = [3, 3, 3]
  uniform token subsetFamily:looks:familyType = "partition"
  def GeomSubset "A" {
    int[] indices.timeSamples = { 0: [0], 5: [0, 1] }
    uniform token familyName = "looks"
  }
  def GeomSubset "B" {
    int[] indices = [2]
    uniform token familyName = "looks"
  }
  def GeomSubset "C" {
    uniform token elementType = "segment"
    uniform token familyName = "odd"
  }
  def GeomSubset "D" {
    int[] indices = [1]
  }
}
)");
    stage_ = Open();
  }
  std::vector<v1::PrimSubsets> Items(const v1::ComputeSubsetsRequest& request) {
    std::vector<v1::PrimSubsets> found;
    for (const auto& part : All(&Client::ComputeSubsets, request)) {
      found.insert(found.end(), part.items().begin(), part.items().end());
    }
    return found;
  }
};

TEST_F(SubsetsTest, ReturnsSubsetsAndFamilies) {
  auto request = MakeRequest<v1::ComputeSubsetsRequest>({"/M", "/None"}, {0, 5});
  request.set_with_unassigned_indices(true);
  request.set_with_problems(true);
  const auto found = Items(request);
  ASSERT_EQ(found.size(), 4u);
  ASSERT_EQ(found[1].subsets_size(), 4);
  EXPECT_EQ(found[1].subsets(0).path(), "/M/A");
  EXPECT_EQ(found[1].subsets(0).element_type(), "face");
  EXPECT_EQ(found[1].subsets(0).family_name(), "looks");
  EXPECT_EQ(Unpack<int>(found[0].subsets(0).indices()), std::vector<int>{0});
  EXPECT_EQ(Unpack<int>(found[1].subsets(0).indices()), (std::vector<int>{0, 1}));
  ASSERT_EQ(found[0].families_size(), 2);
  for (const int item : {0, 1}) {
    const v1::SubsetFamily& looks = found[static_cast<size_t>(item)].families(0);
    EXPECT_EQ(looks.family_name(), "looks");
    EXPECT_EQ(looks.element_type(), "face");
    EXPECT_EQ(looks.family_type(), "partition");
    EXPECT_EQ(Unpack<int>(looks.unassigned_indices()),
              item == 0 ? std::vector<int>{1} : std::vector<int>{});
    EXPECT_EQ(looks.problem(), "/M: a partition of 3 elements has 1 indices at time default");
  }
  EXPECT_EQ(found[0].families(1).family_type(), "unrestricted");
  EXPECT_FALSE(found[0].families(1).has_unassigned_indices());
  EXPECT_NE(found[0].families(1).problem(), "");
  EXPECT_EQ(found[2].error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
}

TEST_F(SubsetsTest, FiltersSubsets) {
  auto request = MakeRequest<v1::ComputeSubsetsRequest>({"/M"}, {0});
  EXPECT_FALSE(Items(request)[0].families(0).has_unassigned_indices()) << "not requested";
  EXPECT_EQ(Items(request)[0].families(0).problem(), "") << "not requested";
  request.set_element_type("face");
  EXPECT_EQ(Items(request)[0].subsets_size(), 3);
  request.set_family_name("looks");
  EXPECT_EQ(Items(request)[0].subsets_size(), 2);
  request.set_element_type("segment");
  EXPECT_EQ(Items(request)[0].subsets_size(), 0);
  request.set_element_type("");
  request.set_family_name("nowhere, not interned");
  EXPECT_EQ(Items(request)[0].subsets_size(), 0);
}

TEST_F(SubsetsTest, FamiliesAreLimited) {
  std::string text = "def Mesh \"M\" {\n";
  for (int i = 0; i < 1001; ++i) {
    text += Concat("def GeomSubset \"S", i, "\" {\n uniform token familyName = \"f", i, "\"\n}\n");
  }
  Write("root.usda", text + "}\n");
  stage_ = Open();
  auto request = MakeRequest<v1::ComputeSubsetsRequest>({"/M"}, {0});
  const auto found = Items(request);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].error().reason(), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_EQ(found[0].subsets_size(), 0);
  request.set_family_name("f7");
  EXPECT_EQ(Items(request)[0].families_size(), 1);
}

TEST_F(GeomStreamHandlersTest, SaysWhichInstancesAreLeftOut) {
  Write("root.usda", R"(
def PointInstancer "I" {
  int[] protoIndices = [0, 0, 0]
  int64[] ids = [7, 8, 9]
  int64[] invisibleIds.timeSamples = { 0: [8], 1: [] }
  point3f[] positions = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
  rel prototypes = </I/A>
  def Sphere "A" {}
}
def PointInstancer "Odd" {
  int[] protoIndices = [0]
  int64[] ids = [7, 8]
  point3f[] positions = [(0, 0, 0)]
  rel prototypes = </I/A>
}
)");
  stage_ = Open();
  auto request = MakeRequest<v1::ComputeInstanceTransformsRequest>({"/I", "/Odd"}, {0, 1});
  const auto items = [&] {
    std::vector<v1::InstancerTransforms> found;
    for (const auto& part : All(&Client::ComputeInstanceTransforms, request)) {
      found.insert(found.end(), part.items().begin(), part.items().end());
    }
    return found;
  };
  auto found = items();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].instance_count(), 3u);
  EXPECT_EQ(Unpack<uint32_t>(found[0].instance_indices()), (std::vector<uint32_t>{0, 2}));
  EXPECT_FALSE(found[0].has_ids() || found[0].has_mask()) << "not requested";
  EXPECT_EQ(found[1].instance_count(), 3u);
  EXPECT_FALSE(found[1].has_instance_indices()) << "none is left out";
  request.set_with_ids(true);
  found = items();
  EXPECT_EQ(Unpack<int64_t>(found[0].ids()), (std::vector<int64_t>{7, 9}));
  EXPECT_EQ(Unpack<int64_t>(found[1].ids()), (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(found[2].instance_count(), 1u);
  EXPECT_FALSE(found[2].has_ids()) << "not as many as instances";
  request.set_ignore_mask(true);
  found = items();
  EXPECT_EQ(found[0].transforms().count(), 3u);
  EXPECT_FALSE(found[0].has_instance_indices());
  EXPECT_EQ(Unpack<int64_t>(found[0].ids()), (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(found[0].mask().component_type(), v1::COMPONENT_TYPE_BOOL);
  EXPECT_EQ(found[0].mask().data(), std::string("\1\0\1", 3));
  EXPECT_FALSE(found[1].has_mask()) << "all are visible";
}

TEST_F(GeomStreamHandlersTest, ReturnsAuthoredTokensThatAreNotAllowed) {
  const auto seen =
      client().ComputeVisibility(MakeRequest<v1::ComputeVisibilityRequest>({"/X", "/Odd"}, {0}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->purpose(1), v1::PURPOSE_OTHER);
  ASSERT_EQ(seen->other_purposes_size(), 2);
  EXPECT_EQ(seen->other_purposes(0), "");
  EXPECT_EQ(seen->other_purposes(1), "banana");
  auto request = MakeRequest<v1::ComputeBoundsRequest>({"/Odd"}, {0});
  const auto without = client().ComputeBounds(request);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_GT(Unpack<double>(without->bounds())[0], Unpack<double>(without->bounds())[3]);
  request.add_other_purposes("banana");
  const auto with = client().ComputeBounds(request);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(Unpack<double>(with->bounds())[3], 1);
  int size = 0;
  ASSERT_TRUE(client()
                  .GetPrimvars(MakeRequest<v1::GetPrimvarsRequest>({"/Odd"}, {0}),
                               [&](const v1::GetPrimvarsResponse& part) {
                                 for (const auto& item : part.items()) {
                                   size = item.primvars(0).element_size();
                                 }
                                 return absl::OkStatus();
                               })
                  .ok());
  EXPECT_EQ(size, -3);
}

TEST_F(GeomStreamHandlersTest, ReturnsInheritedAndFlattenedPrimvars) {
  auto request = MakeRequest<v1::GetPrimvarsRequest>({"/X/Y"}, {0});
  std::vector<v1::PrimPrimvars> items;
  const auto collect = [&](const v1::GetPrimvarsResponse& part) {
    items.insert(items.end(), part.items().begin(), part.items().end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(client().GetPrimvars(request, collect).ok());
  ASSERT_EQ(items.size(), 1u);
  ASSERT_EQ(items[0].primvars_size(), 1);
  const v1::Primvar& primvar = items[0].primvars(0);
  EXPECT_EQ(primvar.name(), "w");
  EXPECT_EQ(primvar.source_path(), "/X");
  EXPECT_EQ(primvar.interpolation(), "constant");
  EXPECT_TRUE(primvar.has_indices());
  items.clear();
  request.set_flatten(true);
  request.add_names("w");
  ASSERT_TRUE(client().GetPrimvars(request, collect).ok());
  EXPECT_FALSE(items[0].primvars(0).has_indices());
  EXPECT_EQ(Unpack<float>(items[0].primvars(0).value().array_value()),
            (std::vector<float>{5, 4, 5}));
}

TEST_F(GeomStreamHandlersTest, PrimvarsAreSplitAtTheServersMessageSize) {
  ServerOptions options;
  options.limits.message_bytes = 1000;
  Start(options);
  stage_ = Open();
  const auto request = MakeRequest<v1::GetPrimvarsRequest>({"/X", "/Nobody", "/X/Y"},
                                                           {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto parts = All(&Client::GetPrimvars, request);
  EXPECT_GT(parts.size(), 2u);
  uint32_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].snapshot().empty(), i != 0);
    for (const v1::PrimPrimvars& item : parts[i].items()) {
      EXPECT_EQ(item.item(), next);
      EXPECT_EQ(item.has_error(), next / 10 == 1) << next;
      if (item.has_error()) {
        EXPECT_EQ(item.error().item(), next);
        EXPECT_EQ(item.error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
      }
      ++next;
    }
  }
  EXPECT_EQ(next, 30u);
}

TEST_F(GeomStreamHandlersTest, ReturnsOnlyTheNamedPrimvars) {
  Write("root.usda", R"(
def Cube "C" {
  float[] primvars:a = [1] ( interpolation = "constant" )
  float[] primvars:b.timeSamples = { 0: [2], 10: [4] }
  int[] primvars:b:indices = None
  float primvars:c = 5 ( elementSize = 2 )
}
)");
  stage_ = Open();
  auto request = MakeRequest<v1::GetPrimvarsRequest>({"/C"}, {10});
  for (const char* name : {"c", "none", "b"}) request.add_names(name);
  const auto parts = All(&Client::GetPrimvars, request);
  ASSERT_EQ(parts.size(), 1u);
  const v1::PrimPrimvars& item = parts[0].items(0);
  ASSERT_EQ(item.primvars_size(), 2);
  EXPECT_EQ(item.primvars(0).name(), "c");
  EXPECT_EQ(item.primvars(0).type_name(), "float");
  EXPECT_EQ(item.primvars(0).value().float_value(), 5);
  EXPECT_EQ(item.primvars(0).element_size(), 2);
  EXPECT_EQ(item.primvars(1).name(), "b");
  EXPECT_EQ(Unpack<float>(item.primvars(1).value().array_value()), std::vector<float>{4});
  EXPECT_FALSE(item.primvars(0).has_indices());
}

TEST_F(GeomStreamHandlersTest, InstancesAreAdvancedFromTheBaseTime) {
  Write("root.usda", R"(
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 10: [(10, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(24, 0, 0)], 10: [(48, 0, 0)] }
  rel prototypes = </I/A>
  def Cube "A" {}
}
)");
  stage_ = Open();
  auto request = MakeRequest<v1::ComputeInstanceTransformsRequest>({"/I"}, {5});
  const auto x = [&] {
    const auto parts = All(&Client::ComputeInstanceTransforms, request);
    EXPECT_EQ(parts[0].snapshot().size(), 32u);
    return Unpack<double>(parts[0].items(0).transforms())[12];
  };
  EXPECT_EQ(x(), 5) << "one unit per time code, from 0 on";
  request.mutable_base_time()->set_numeric(10);
  EXPECT_EQ(x(), 0) << "two units per time code, back from 10";
  request.mutable_base_time()->clear_kind();
  EXPECT_EQ(ErrorReason(End(&Client::ComputeInstanceTransforms, request)), "INVALID_TIME");
}

TEST_F(GeomStreamHandlersTest, PrototypeIndicesFollowTheMask) {
  auto request = MakeRequest<v1::ComputeInstanceTransformsRequest>({"/I"}, {0});
  const auto indices = [&] {
    const auto parts = All(&Client::ComputeInstanceTransforms, request);
    return Unpack<uint32_t>(parts[0].items(0).prototype_indices());
  };
  EXPECT_EQ(indices(), (std::vector<uint32_t>{0, 0}));
  request.set_ignore_mask(true);
  EXPECT_EQ(indices(), (std::vector<uint32_t>{0, 1, 0}));
}

TEST_F(GeomStreamHandlersTest, ReportsAnItemThatIsTooLarge) {
  std::string many = "1";
  for (int i = 0; i < 999; ++i) many += ", 1";
  Write("root.usda", Concat("def Cube \"Big\" { string primvars:a = \"", std::string(4000, 'x'),
                            "\"; }\ndef Cube \"Long\" { float[] primvars:a = [", many,
                            "]; }\ndef Cube \"Small\" { float primvars:a = 1; }\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  options.limits.message_bytes = 1500;
  Start(options);
  stage_ = Open();
  std::vector<v1::PrimPrimvars> items;
  for (const auto& part : All(&Client::GetPrimvars, MakeRequest<v1::GetPrimvarsRequest>(
                                                        {"/Big", "/Long", "/Small"}, {0}))) {
    items.insert(items.end(), part.items().begin(), part.items().end());
  }
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].item(), 0u);
  EXPECT_EQ(items[0].error().reason(), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_EQ(items[0].primvars_size(), 0);
  EXPECT_EQ(items[1].item(), 1u);
  ASSERT_EQ(items[1].primvars_size(), 1) << "arrays of numbers have no limit";
  EXPECT_EQ(Unpack<float>(items[1].primvars(0).value().array_value()), std::vector<float>(1000, 1));
  EXPECT_EQ(items[2].item(), 2u);
  EXPECT_EQ(items[2].primvars_size(), 1);
}

}  // namespace
}  // namespace stagedoor::server
