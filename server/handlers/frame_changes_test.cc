// Answers to requests for a frame in other cases than the next frame of a snapshot: after edits,
// for tokens of other frames, and where invisible prims are left out.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "server/testing/frame_scene_test.h"

namespace stagedoor::server {
namespace {

class FrameChangesTest : public FrameSceneTest {
 protected:
  void RememberChanges() { options_.set_changes_between_snapshots(true); }
  uint64_t RememberedFrames() {
    const auto reply = client().GetCacheStatistics({});
    EXPECT_TRUE(reply.ok()) << reply.status();
    for (const v1::CacheStatistics& cache : reply->caches()) {
      if (cache.name() == "frames") return cache.entries();
    }
    ADD_FAILURE() << "no such cache";
    return 0;
  }
};

constexpr const char* kScene = R"(
def Xform "X" {
  double xformOp:translateX.timeSamples = { 0: 0, 10: 10 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Sphere "Ball" {
    double radius = 2
  }
}
def Mesh "Flag" {
  int[] faceVertexCounts = [3]
  point3f[] points.timeSamples = { 0: [(0, 0, 0)], 10: [(0, 0, 1)] }
}
def Cube "Still" {
}
def Material "Unbound" {
}
)";

// --------------------------------------------------------------------------- between snapshots

TEST_F(FrameChangesTest, AfterAnEditAFrameIsComplete) {
  Load(kScene);
  Next(1);
  Edit("over \"Still\" {\n  double size = 3\n}\n");
  Next(1);
  EXPECT_TRUE(IsComplete());
  EXPECT_TRUE(WasSent("row /X/Ball"));
}

TEST_F(FrameChangesTest, OfAnEditWhatItChangedIsSentIfItIsRemembered) {
  RememberChanges();
  Load(kScene);
  Next(1);
  EXPECT_TRUE(IsComplete());
  EXPECT_EQ(RememberedFrames(), 1u);
  Edit("over \"Still\" {\n  double size = 3\n}\n");
  EXPECT_EQ(Next(1), Strings{"value /Still.size"});
  EXPECT_FALSE(IsComplete());
  EXPECT_EQ(values_["/Still.size"].values(0).double_value(), 3);
  Edit("");
  EXPECT_EQ(Next(1), Strings{"value /Still.size"});
  Edit("over \"X\" {\n  over \"Ball\" (\n    active = false\n  ) {\n  }\n}\n");
  EXPECT_EQ(Next(1), (Strings{"removed /X/Ball", "removed /X/Ball"})) << "and its geometry";
  EXPECT_FALSE(rows_.contains("/X/Ball"));
  Edit("");
  Next(1);
  EXPECT_TRUE(WasSent("row /X/Ball"));
  EXPECT_TRUE(WasSent("geometry /X/Ball"));
  EXPECT_FALSE(WasSent("row /Still"));
}

TEST_F(FrameChangesTest, FramesInBetweenAreRemembered) {
  RememberChanges();
  Load(kScene);
  Next(1);
  EXPECT_EQ(Next(2), (Strings{"transform /X/Ball", "value /Flag.points"}));
  EXPECT_EQ(Next(3), (Strings{"transform /X/Ball", "value /Flag.points"}));
  EXPECT_EQ(RememberedFrames(), 3u);
  Edit("over \"Still\" {\n  double size = 3\n}\n");
  EXPECT_EQ(Next(3), Strings{"value /Still.size"}) << "nothing has moved";
  EXPECT_EQ(Next(4), (Strings{"transform /X/Ball", "value /Flag.points"}));
  Edit("");
  EXPECT_EQ(Next(5), (Strings{"transform /X/Ball", "value /Flag.points", "value /Still.size"}));
}

TEST_F(FrameChangesTest, AllKindsOfPartsAreCompared) {
  RememberChanges();
  options_.mutable_selection()->add_purposes(v1::PURPOSE_DEFAULT);
  options_.mutable_selection()->add_purposes(v1::PURPOSE_RENDER);
  Load(R"((
  renderSettingsPrimPath = "/Settings"
)
def RenderSettings "Settings" {
  rel camera = </Eye>
  int2 resolution = (100, 50)
}
def Camera "Eye" {
}
def SphereLight "Key" {
  float inputs:intensity = 5
}
def Mesh "M" (
  prepend apiSchemas = ["MaterialBindingAPI"]
) {
  rel material:binding = </Paint>
  int[] faceVertexCounts = [3, 3]
  def GeomSubset "S" {
    int[] indices = [0]
  }
}
def Material "Paint" {
  float inputs:roughness = 0.5
  token outputs:surface.connect = </Paint/S.outputs:out>
  def Shader "S" {
    uniform token info:id = "UsdPreviewSurface"
    float inputs:roughness.connect = </Paint.inputs:roughness>
    token outputs:out
  }
}
def Volume "Smoke" {
  rel field:density = </Smoke/Density>
  def OpenVDBAsset "Density" {
    token fieldName = "density"
  }
}
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
  rel prototypes = </I/A>
  def Sphere "A" {
  }
}
)");
  Next(1);
  EXPECT_TRUE(WasSent("settings"));
  EXPECT_TRUE(WasSent("camera"));
  EXPECT_TRUE(WasSent("fields /Smoke"));
  Edit("over \"Nothing\" {\n}\n");
  EXPECT_EQ(Next(1), Strings());
  const std::pair<const char*, Strings> edits[] = {
      {"over \"Settings\" {\n  int2 resolution = (4, 4)\n}\n", {"settings"}},
      {"over \"Eye\" {\n  float focalLength = 7\n}\n", {"camera"}},
      {"over \"Key\" {\n  float inputs:intensity = 6\n}\n", {"light /Key"}},
      {"over \"M\" {\n  token visibility = \"invisible\"\n}\n", {"visibility /M"}},
      {"over \"M\" {\n  over \"S\" {\n    int[] indices = [1]\n  }\n}\n", {"subset /M/S"}},
      {"over \"Paint\" {\n  float inputs:roughness = 1\n}\n", {"material /Paint"}},
      {"over \"Smoke\" {\n  over \"Density\" {\n    token fieldName = \"x\"\n  }\n}\n",
       {"fields /Smoke"}},
      {"over \"I\" {\n  point3f[] positions = [(0, 0, 1)]\n}\n", {"instances /I"}},
      {"over \"I\" {\n  uniform token purpose = \"render\"\n}\n", {"row /I", "row /I/A"}},
  };
  for (const auto& [edit, sent] : edits) {
    Edit(edit);
    EXPECT_EQ(Next(1), sent) << edit;
    EXPECT_FALSE(IsComplete());
    Edit("");
    EXPECT_EQ(Next(1), sent) << "without " << edit;
  }
}

TEST_F(FrameChangesTest, GeometryOfOtherAttributesIsSentAsAWhole) {
  RememberChanges();
  Load(kScene);
  Next(1);
  Edit("over \"Still\" {\n  float[] primvars:heat = [1]\n}\n");
  Next(1);
  EXPECT_TRUE(WasSent("geometry /Still"));
  EXPECT_TRUE(WasSent("value /Still.size"));
  EXPECT_FALSE(WasSent("row /Still"));
  Edit("");
  Next(1);
  EXPECT_TRUE(WasSent("geometry /Still"));
  EXPECT_FALSE(values_.contains("/Still.primvars:heat"));
}

TEST_F(FrameChangesTest, FieldsThatAreGoneAreForgotten) {
  RememberChanges();
  Load(R"(def Volume "Smoke" {
  rel field:density = </Smoke/Density>
  def OpenVDBAsset "Density" {
  }
}
)");
  Next(1);
  EXPECT_TRUE(WasSent("fields /Smoke"));
  Edit("over \"Smoke\" {\n  rel field:density = []\n}\n");
  Next(1);
  EXPECT_TRUE(WasSent("geometry /Smoke"));
  EXPECT_FALSE(WasSent("fields /Smoke"));
}

TEST_F(FrameChangesTest, WhatIsForgottenIsSentAgain) {
  RememberChanges();
  Load(kScene);
  Next(1);
  v1::EvictCachesRequest evict;
  evict.add_caches(v1::CACHE_KIND_FRAMES);
  ASSERT_TRUE(client().EvictCaches(evict).ok());
  EXPECT_EQ(RememberedFrames(), 0u);
  EXPECT_EQ(Next(2), (Strings{"transform /X/Ball", "value /Flag.points"}))
      << "the plan of the snapshot suffices";
  EXPECT_EQ(RememberedFrames(), 0u) << "what is static is not known";
  Edit("over \"Still\" {\n  double size = 3\n}\n");
  Next(2);
  EXPECT_TRUE(IsComplete());
  EXPECT_EQ(RememberedFrames(), 1u);
}

// -------------------------------------------------------------------------------------- tokens

TEST_F(FrameChangesTest, TokensOfOtherFramesAreNoBases) {
  Load(kScene);
  Next(1);
  const auto is_base = [&](const auto& change) {
    auto request = RequestAt(2);
    change(request);
    const std::string token = token_;
    Extract(request);
    token_ = token;
    return !IsComplete();
  };
  using Request = v1::ExtractFrameRequest;
  EXPECT_TRUE(is_base([](Request&) {}));
  EXPECT_TRUE(is_base([](Request& r) { r.mutable_digest_options(); }));
  EXPECT_FALSE(is_base([](Request& r) { r.clear_base_token(); }));
  EXPECT_FALSE(is_base([](Request& r) { r.mutable_selection()->add_types("Mesh"); }));
  EXPECT_FALSE(is_base([](Request& r) { r.mutable_selection()->set_without_invisible(true); }));
  EXPECT_FALSE(is_base([](Request& r) { r.mutable_sample_policy(); }));
  EXPECT_FALSE(is_base([](Request& r) { r.set_changes_between_snapshots(true); }));
  options_.mutable_sample_policy()->set_shutter_close(1);
  Next(1);
  EXPECT_TRUE(is_base([](Request& r) { r.mutable_sample_policy()->set_with_sources(true); }));
  EXPECT_FALSE(is_base([](Request& r) { r.mutable_sample_policy()->set_segments(2); }));
}

TEST_F(FrameChangesTest, InfiniteTimesAreNotCompared) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Load(kScene);
  Next(1);
  Next(kInfinity);
  EXPECT_TRUE(IsComplete());
  EXPECT_EQ(Numbers<float>("/Flag.points").size(), 3u);
  Next(2);
  EXPECT_TRUE(IsComplete());
}

TEST_F(FrameChangesTest, MalformedTokensAreRejected) {
  Load(kScene);
  Next(1);
  auto request = RequestAt(1);
  for (const std::string& token : {std::string("x"), token_ + "x", std::string(1000, 'x')}) {
    request.set_base_token(token);
    EXPECT_EQ(Failure(request), "INVALID_FIELD");
  }
}

TEST_F(FrameChangesTest, TokensAreEqualForEqualFrames) {
  Load(kScene);
  Next(1);
  const std::string first = token_;
  Next(2);
  EXPECT_NE(token_, first);
  Next(1);
  EXPECT_EQ(token_, first);
}

// ------------------------------------------------------------------------------ invisible prims

constexpr const char* kBlinking = R"(
def Xform "X" (
  prepend apiSchemas = ["MaterialBindingAPI"]
) {
  rel material:binding = </Paint>
  token visibility.timeSamples = { 1: "invisible", 2: "inherited", 4: "invisible" }
  double xformOp:translateX.timeSamples = { 0: 0, 10: 10 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Mesh "M" {
    int[] faceVertexCounts = [3]
    point3f[] points.timeSamples = { 0: [(0, 0, 0)], 10: [(0, 0, 1)] }
    def GeomSubset "S" {
      int[] indices = [0]
    }
  }
}
def Cube "Hidden" {
  token visibility = "invisible"
  double size.timeSamples = { 1: 1, 10: 10 }
}
def Cube "Still" {
}
def Material "Paint" {
}
)";

TEST_F(FrameChangesTest, InvisiblePrimsAreSentUnlessTheyAreLeftOut) {
  Load(kBlinking);
  Next(1);
  EXPECT_EQ(rows_.size(), 3u);
  EXPECT_FALSE(visible_.at("/X/M"));
  EXPECT_FALSE(visible_.at("/Hidden"));
  EXPECT_EQ(Next(2), (Strings{"transform /X/M", "value /Hidden.size", "value /X/M.points",
                              "visibility /X/M"}));
}

TEST_F(FrameChangesTest, PrimsThatAppearAreSentAsAWhole) {
  options_.mutable_selection()->set_without_invisible(true);
  Load(kBlinking);
  Next(1);
  EXPECT_EQ(rows_.size(), 1u);
  EXPECT_TRUE(rows_.contains("/Still"));
  EXPECT_FALSE(WasSent("material /Paint"));
  Next(2);
  EXPECT_FALSE(IsComplete());
  for (const char* part : {"row /X/M", "visibility /X/M", "transform /X/M", "geometry /X/M",
                           "subset /X/M/S", "material /Paint"}) {
    EXPECT_TRUE(WasSent(part)) << part;
  }
  EXPECT_FALSE(WasSent("value /Hidden.size"));
  EXPECT_TRUE(visible_.at("/X/M"));
  EXPECT_EQ(Next(3), (Strings{"transform /X/M", "value /X/M.points"}));
  EXPECT_EQ(Next(4), (Strings{"removed /X/M", "removed /X/M/S"}));
  EXPECT_EQ(Next(5), Strings()) << "it moves, but is not in the frame";
  Next(3);
  EXPECT_TRUE(WasSent("geometry /X/M"));
}

TEST_F(FrameChangesTest, GeometryIsNotSentIfAllThatHaveItAreGone) {
  options_.mutable_selection()->set_without_invisible(true);
  Load(R"(
class "Model" {
  def Mesh "M" {
    point3f[] points.timeSamples = { 1: [(1, 0, 0)], 2: [(2, 0, 0)], 3: [(3, 0, 0)] }
  }
}
def Xform "A" (
  inherits = </Model>
  instanceable = true
) {
  token visibility.timeSamples = { 1: "inherited", 2: "invisible", 3: "inherited" }
}
def Xform "B" (
  inherits = </Model>
  instanceable = true
) {
  token visibility.timeSamples = { 1: "inherited", 2: "invisible", 3: "inherited" }
}
)");
  Next(1);
  EXPECT_EQ(rows_.size(), 2u);
  EXPECT_EQ(Next(2), (Strings{"removed /A/M", "removed /B/M"}));
  Next(3);
  EXPECT_EQ(rows_.size(), 2u);
}

TEST_F(FrameChangesTest, GeometryThatVisibleInstancesHaveIsKept) {
  RememberChanges();
  options_.mutable_selection()->set_without_invisible(true);
  Write("tree.usda", R"((
  defaultPrim = "Tree"
)
def Xform "Tree" {
  def Mesh "Leaf" {
    point3f[] points.timeSamples = { 0: [(0, 0, 0)], 10: [(1, 0, 0)] }
  }
}
)");
  Load(R"(def "One" (
  instanceable = true
  references = @./tree.usda@
) {
  token visibility.timeSamples = { 0: "inherited", 3: "invisible", 5: "inherited" }
}
def "Two" (
  instanceable = true
  references = @./tree.usda@
) {
  token visibility.timeSamples = { 0: "invisible", 2: "inherited", 4: "invisible" }
}
)");
  Next(1);
  EXPECT_EQ(rows_.size(), 1u);
  EXPECT_EQ(Next(2), (Strings{"row /Two/Leaf", "transform /Two/Leaf", "value /One/Leaf.points",
                              "visibility /Two/Leaf"}))
      << "the first instance has the geometry";
  EXPECT_EQ(Next(3), (Strings{"removed /One/Leaf", "value /One/Leaf.points"}));
  EXPECT_EQ(Next(4), Strings{"removed /Two/Leaf"});
  Next(5);
  EXPECT_TRUE(WasSent("row /One/Leaf"));
  EXPECT_TRUE(WasSent("geometry /One/Leaf"));
}

TEST_F(FrameChangesTest, WhatDisappearedIsSentAgainAfterAnEdit) {
  RememberChanges();
  options_.mutable_selection()->set_without_invisible(true);
  Load(kBlinking);
  Next(3);
  Next(4);
  EXPECT_FALSE(rows_.contains("/X/M"));
  Edit("over \"X\" {\n  token visibility.timeSamples = { 1: \"inherited\" }\n}\n");
  Next(4);
  EXPECT_FALSE(IsComplete());
  for (const char* part : {"row /X/M", "visibility /X/M", "transform /X/M", "geometry /X/M",
                           "subset /X/M/S", "material /Paint"}) {
    EXPECT_TRUE(WasSent(part)) << part;
  }
  EXPECT_FALSE(WasSent("row /Still"));
}

}  // namespace
}  // namespace stagedoor::server
