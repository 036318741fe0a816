#include "scene/stage/stage_statistics.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class StageStatisticsTest : public AnswersTest {
 protected:
  StageStatistics Compute(const std::vector<std::string_view>& roots = {}) {
    std::vector<Prim> prims;
    for (const std::string_view root : roots) prims.push_back(stage().FindPrim(root));
    auto found = ComputeStageStatistics(scene_.context(), stage(), prims);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *std::move(found) : StageStatistics(scene_.context());
  }
  // "total active inactive pure_over instance | type count …".
  static std::string Text(const PrimCounts& counts) {
    std::map<std::string_view, uint64_t> types;
    for (const auto& [type, count] : counts.types) types[type.text()] = count;
    std::string text = Concat(counts.total, " ", counts.active, " ", counts.inactive, " ",
                              counts.pure_over, " ", counts.instance, " |");
    for (const auto& [type, count] : types) {
      text += Concat(" ", type.empty() ? "untyped" : type, " ", count);
    }
    return text;
  }
  // "models instanced_models assets prototypes".
  static std::string Models(const StageStatistics& s) {
    return Concat(s.models, " ", s.instanced_models, " ", s.assets, " ", s.prototypes);
  }
};

constexpr std::string_view kAsset = R"(
def Xform "A" (
  kind = "component"
  assetInfo = {
    string name = "chair"
  }
) {
  def Mesh "m" {}
  over "o" {}
  class "c" {}
  def "off" (active = false) {}
}
)";

// The numbers are those of usd-core.
TEST_F(StageStatisticsTest, CountsPrimsByType) {
  Write("root.usda", kAsset);
  const StageStatistics found = Compute();
  EXPECT_EQ(found.used_layers, 1u);
  EXPECT_EQ(Models(found), "1 0 1 0");
  EXPECT_EQ(Text(found.primary), "5 4 1 1 0 | untyped 3 Mesh 1 Xform 1");
  EXPECT_EQ(Text(found.prototyped), "0 0 0 0 0 |");
}

TEST_F(StageStatisticsTest, CountsPrototypesApart) {
  Write("root.usda", Concat(kAsset, R"(
def "B" {
  def "a" (
    references = </A>
    instanceable = true
  ) {}
  over "b" (
    references = </A>
    instanceable = true
  ) {}
}
def "i" (
  references = </B>
  instanceable = true
) {}
def "j" (
  references = </B>
  instanceable = true
) {}
)"));
  const StageStatistics found = Compute();
  EXPECT_EQ(Models(found), "3 2 1 2");
  EXPECT_EQ(Text(found.primary), "10 9 1 1 4 | untyped 6 Mesh 1 Xform 3");
  EXPECT_EQ(Text(found.prototyped), "5 5 0 0 2 | untyped 2 Mesh 1 Xform 2");
}

TEST_F(StageStatisticsTest, OnlyComponentsOfTheModelHierarchyAreModels) {
  Write("root.usda", R"(
def "G" (kind = "group") {
  def "c" (
    kind = "component"
    assetInfo = { string name = "x" }
  ) {}
  def "d" (
    kind = "component"
    assetInfo = { int name = 1 }
  ) {
    def "e" (kind = "component") {}
  }
  def "s" (kind = "subcomponent") {}
}
def "None" {
  def "f" (kind = "component") {}
}
)");
  EXPECT_EQ(Models(Compute()), "2 0 1 0");
}

TEST_F(StageStatisticsTest, CountsPayloadsAndLayers) {
  Write("other.usda", "def \"P\" {\n  def \"q\" {}\n}\n");
  Write("session.usda", "over \"A\" {}");
  Write("root.usda", R"(def "A" (payload = @./other.usda@</P>) {}
def "B" {})");
  StageStatistics found = Compute();
  EXPECT_EQ(found.used_layers, 2u);
  EXPECT_EQ(found.primary.total, 3u);
  EXPECT_EQ(found.primary.payload, 1u);
  EXPECT_EQ(found.primary.unloaded_payload, 0u);
  stage_.reset();
  options_.session = "/session.usda";
  options_.load = LoadRules::None();
  found = Compute();
  EXPECT_EQ(found.used_layers, 1u) << "without the session layer";
  EXPECT_EQ(found.primary.total, 2u);
  EXPECT_EQ(found.primary.unloaded_payload, 1u);
}

TEST_F(StageStatisticsTest, SubtreesAreCountedOnce) {
  Write("root.usda", R"(
def Xform "A" {
  def Xform "B" {
    def Mesh "C" {}
  }
}
def Cube "D" {}
)");
  EXPECT_EQ(Text(Compute({"/A/B", "/A", "/A/B/C", "/A"}).primary), "3 3 0 0 0 | Mesh 1 Xform 2");
  EXPECT_EQ(Text(Compute({"/D", "/A/B"}).primary), "3 3 0 0 0 | Cube 1 Mesh 1 Xform 1");
  EXPECT_EQ(Text(Compute({"/D", "/"}).primary), "4 4 0 0 0 | Cube 1 Mesh 1 Xform 2");
}

TEST_F(StageStatisticsTest, SubtreesHaveThePrototypesOfTheirInstances) {
  Write("root.usda", Concat(kAsset, R"(
def Cube "R" {
  def Sphere "s" (
    references = </A>
    instanceable = true
  ) {}
}
def "i" (
  references = </A>
  instanceable = true
) {}
def "j" (
  references = </R>
  instanceable = true
) {}
)"));
  const StageStatistics found = Compute({"/j"});
  EXPECT_EQ(Text(found.primary), "1 1 0 0 1 | Cube 1");
  EXPECT_EQ(Text(found.prototyped), "4 4 0 0 1 | untyped 2 Mesh 1 Sphere 1");
  EXPECT_EQ(found.prototypes, 2u);
  EXPECT_EQ(Text(Compute({"/i"}).prototyped), "2 2 0 0 0 | untyped 1 Mesh 1");
  EXPECT_EQ(Text(Compute({"/j/s"}).primary), "1 1 0 0 1 | Sphere 1") << "an instance proxy";
}

TEST_F(StageStatisticsTest, EndsWithTheRequest) {
  Write("root.usda", kAsset);
  const Stage& opened = stage();
  scene_.context().Cancel();
  EXPECT_EQ(ComputeStageStatistics(scene_.context(), opened, {}).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
