// Frames of one snapshot: what they consist of, and what is sent of the next one.
#include "server/handlers/frame_handler.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "server/testing/frame_scene_test.h"

namespace stagedoor::server {
namespace {

class FrameHandlerTest : public FrameSceneTest {
 protected:
  size_t BytesSent() const {
    size_t bytes = 0;
    for (const v1::ExtractFrameResponse& message : messages_) bytes += message.ByteSizeLong();
    return bytes;
  }
};

constexpr const char* kScene = R"((
  metersPerUnit = 0.5
  timeCodesPerSecond = 25
  upAxis = "Z"
)
def Xform "X" {
  double xformOp:translateX.timeSamples = { 0: 0, 10: 10, 20: 10 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Sphere "Ball" {
    double radius = 2
  }
  def Mesh "Flag" {
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (1, 1, 0)], 10: [(0, 0, 1), (1, 0, 1), (1, 1, 1)] }
    token visibility.timeSamples = { 0: "inherited", 5: "invisible", 6: "inherited" }
    float[] primvars:heat (
      interpolation = "constant"
    )
    float[] primvars:heat.timeSamples = { 0: [1], 4: [1], 8: [5] }
    string primvars:label = "a" (
      interpolation = "constant"
    )
  }
}
def Cube "Still" {
}
def Scope "NotDrawn" {
}
)";

TEST_F(FrameHandlerTest, TheFirstFrameHasEverything) {
  Load(kScene);
  Next(1);
  EXPECT_TRUE(IsComplete());
  const v1::FrameHeader& header = messages_[0].header();
  EXPECT_NE(header.snapshot(), "");
  EXPECT_EQ(header.time(), 1);
  EXPECT_EQ(header.prim_count(), 3u);
  EXPECT_EQ(header.meters_per_unit(), 0.5);
  EXPECT_EQ(header.time_codes_per_second(), 25);
  EXPECT_EQ(header.up_axis(), "Z");
  EXPECT_EQ(header.camera_path(), "");
  EXPECT_EQ(header.settings_path(), "");
  ASSERT_EQ(rows_.size(), 3u);
  EXPECT_EQ(rows_["/X/Ball"].type_names(0), "Sphere");
  EXPECT_EQ(rows_["/X/Ball"].purposes(0), v1::PURPOSE_DEFAULT);
  EXPECT_EQ(rows_["/X/Ball"].light_sets(0), 1u) << "all lights";
  EXPECT_TRUE(visible_.at("/X/Ball"));
  EXPECT_EQ(TranslationOf("/X/Ball"), (Doubles{1, 0, 0}));
  EXPECT_EQ(TranslationOf("/Still"), (Doubles{0, 0, 0}));
  EXPECT_EQ(values_["/X/Ball.radius"].values(0).double_value(), 2);
  EXPECT_EQ(values_["/X/Ball.radius"].type_name(), "double");
  EXPECT_EQ(Numbers<int>("/X/Flag.faceVertexIndices"), (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(Numbers<float>("/X/Flag.points").size(), 9u);
  EXPECT_FLOAT_EQ(Numbers<float>("/X/Flag.points")[2], 0.1F);
  EXPECT_EQ(values_["/X/Flag.points"].interpolation(), "vertex");
  EXPECT_EQ(values_["/X/Flag.primvars:heat"].interpolation(), "constant");
  EXPECT_EQ(values_["/X/Flag.primvars:label"].values(0).string_value(), "a");
  for (const auto& [name, value] : values_) EXPECT_EQ(value.times_size(), 0) << name;
}

TEST_F(FrameHandlerTest, TheHeaderComesAloneAndTheTokenLast) {
  Load(kScene);
  Next(1);
  ASSERT_GE(messages_.size(), 2u);
  EXPECT_FALSE(messages_[0].has_prims());
  for (size_t i = 0; i < messages_.size(); ++i) {
    EXPECT_EQ(messages_[i].has_header(), i == 0);
    EXPECT_EQ(messages_[i].token().empty(), i + 1 != messages_.size());
  }
  EXPECT_LE(token_.size(), 100u);
}

// The stage of a plan that is made while the prims are sent: more than are planned before.
std::string ManyPrims() {
  std::string text = R"(
def SphereLight "Key" {
  rel collection:lightLink:includes = </Last>
  uniform bool collection:lightLink:includeRoot = 0
}
def Mesh "Lamp" (prepend apiSchemas = ["MeshLightAPI"]) {
}
def PointInstancer "I" {
  rel prototypes = [</P>]
  int[] protoIndices = [0]
  point3f[] positions = [(1, 0, 0)]
}
def Xform "P" {
  def PointInstancer "Self" {
    rel prototypes = [</P>]
    int[] protoIndices = [0]
    point3f[] positions = [(1, 0, 0)]
  }
}
)";
  for (int i = 0; i < 1000; ++i) text += Concat("def Sphere \"S", i, "\" {}\n");
  return text + "def Mesh \"Last\" {}\n";
}

TEST_F(FrameHandlerTest, TheFirstPrimsAreSentBeforeAllAreFound) {
  Load(ManyPrims());
  const Strings first = Next(1);
  EXPECT_EQ(messages_[0].header().prim_count(), 0u);
  EXPECT_EQ(messages_.back().prim_count(), 1005u);
  std::set<uint64_t> sets;
  for (const v1::ExtractFrameResponse& message : messages_) {
    for (const v1::FrameLightSet& set : message.light_sets()) sets.insert(set.id());
    for (const uint64_t set : message.prims().light_sets()) EXPECT_EQ(sets.count(set), 1u);
  }
  EXPECT_EQ(sets.size(), 2u);
  EXPECT_EQ(lights_["/Lamp"].prim(), rows_["/Lamp"].ids(0)) << "lights that are prims come last";
  const auto instances = instances_;
  EXPECT_EQ(instances.at("/I").prototypes(0), rows_["/P/Self"].prototypes(0));

  // With the plan that is kept, the frame is the same.
  Forget();
  EXPECT_EQ(Next(1), first);
  EXPECT_EQ(messages_[0].header().prim_count(), 1005u);
  EXPECT_EQ(messages_.back().prim_count(), 0u);
  for (const auto& [path, found] : instances) {
    EXPECT_EQ(instances_[path].SerializeAsString(), found.SerializeAsString()) << path;
  }
  EXPECT_EQ(Next(2), Strings());
}

TEST_F(FrameHandlerTest, IdsAreThoseOfObjectsInAllFrames) {
  Load(kScene);
  Next(1);
  const auto first = names_;
  std::set<uint64_t> ids;
  for (const auto& [path, row] : rows_) {
    EXPECT_TRUE(ids.insert(row.ids(0)).second) << path;
    EXPECT_TRUE(ids.insert(row.geometry(0)).second) << path;
  }
  Forget();
  Next(7);
  EXPECT_EQ(names_, first);
  Edit("def Cube \"Added\" {\n}\n");
  Forget();
  Next(1);
  for (const auto& [id, name] : first) EXPECT_EQ(names_[id], name);
}

TEST_F(FrameHandlerTest, OfTheNextFrameWhatMovesIsSent) {
  Load(kScene);
  Next(1);
  EXPECT_EQ(Next(2), (Strings{"transform /X/Ball", "transform /X/Flag", "value /X/Flag.points"}));
  EXPECT_FALSE(IsComplete());
  EXPECT_EQ(TranslationOf("/X/Ball"), (Doubles{2, 0, 0}));
  EXPECT_FLOAT_EQ(Numbers<float>("/X/Flag.points").at(2), 0.2F);
  EXPECT_EQ(Next(5), (Strings{"transform /X/Ball", "transform /X/Flag", "value /X/Flag.points",
                              "value /X/Flag.primvars:heat", "visibility /X/Flag"}));
  EXPECT_FALSE(visible_.at("/X/Flag"));
}

TEST_F(FrameHandlerTest, AnyFrameMayBeTheBase) {
  Load(kScene);
  Next(9);
  EXPECT_EQ(Next(1), (Strings{"transform /X/Ball", "transform /X/Flag", "value /X/Flag.points",
                              "value /X/Flag.primvars:heat"}));
  const auto values = values_;
  const auto places = transforms_.at("/X/Flag").matrices;
  Forget();
  Next(1);
  EXPECT_EQ(transforms_.at("/X/Flag").matrices, places);
  ASSERT_EQ(values_.size(), values.size());
  for (const auto& [name, value] : values) {
    EXPECT_EQ(values_[name].SerializeAsString(), value.SerializeAsString()) << name;
  }
}

TEST_F(FrameHandlerTest, NothingIsSentWhereNothingMoves) {
  Load(kScene);
  Next(12);
  EXPECT_EQ(Next(13), Strings());
  EXPECT_EQ(messages_.size(), 1u);
  EXPECT_TRUE(messages_[0].has_header());
  EXPECT_EQ(messages_[0].header().time(), 13);
  EXPECT_LE(BytesSent(), 1024u);
  EXPECT_EQ(Next(13), Strings()) << "the same frame";
}

TEST_F(FrameHandlerTest, MotionIsSampledWithinTheShutter) {
  Load(kScene);
  SetShutter(-0.5, 0.5);
  Next(10);
  EXPECT_EQ(transforms_["/X/Ball"].times, (Doubles{0, 10, 20}));
  EXPECT_EQ(TranslationOf("/X/Ball", 1), (Doubles{10, 0, 0}));
  EXPECT_EQ(transforms_["/Still"].times, Doubles());
  const v1::FrameValue& points = values_["/X/Flag.points"];
  EXPECT_EQ(Doubles(points.times().begin(), points.times().end()), (Doubles{0, 10}));
  EXPECT_EQ(points.values_size(), 2);
  EXPECT_EQ(values_["/X/Ball.radius"].times_size(), 0);
  // The samples around the next frame are others for the transforms only.
  EXPECT_EQ(Next(11), (Strings{"transform /X/Ball", "transform /X/Flag", "value /X/Flag.points"}));
  EXPECT_EQ(transforms_["/X/Ball"].times, (Doubles{10, 20}));
  EXPECT_EQ(values_["/X/Flag.points"].times_size(), 0) << "the last sample is held";
  EXPECT_EQ(Next(12), Strings());
}

TEST_F(FrameHandlerTest, DefaultTimeHasNothingInCommonWithOthers) {
  Load(kScene);
  auto request = RequestAt(0);
  request.mutable_time()->mutable_default_time();
  Extract(request);
  EXPECT_FALSE(messages_[0].header().has_time());
  EXPECT_FALSE(values_.contains("/X/Flag.points")) << "it has samples only";
  request.set_base_token(token_);
  EXPECT_EQ(Extract(request), Strings());
  Next(1);
  EXPECT_TRUE(IsComplete());
  EXPECT_TRUE(values_.contains("/X/Flag.points"));
}

TEST_F(FrameHandlerTest, ValuesThatAreBlockedAreTakenBack) {
  Load(R"(def Mesh "M" {
  float[] primvars:a.timeSamples = { 1: [1], 2: None, 3: [3] }
}
)");
  Next(1);
  EXPECT_TRUE(values_.contains("/M.primvars:a"));
  EXPECT_EQ(Next(2), Strings{"no value /M.primvars:a"});
  EXPECT_EQ(Next(3), Strings{"value /M.primvars:a"});
  Forget();
  Next(2);
  EXPECT_FALSE(values_.contains("/M.primvars:a"));
  EXPECT_FALSE(WasSent("no value /M.primvars:a")) << "nobody has it";
}

TEST_F(FrameHandlerTest, PrimvarsAreIndexedOrFlattened) {
  Load(R"(def Xform "X" {
  float[] primvars:all = [7] (
    interpolation = "constant"
  )
  def Mesh "M" {
    float[] primvars:st = [4, 5] (
      elementSize = 1
      interpolation = "vertex"
    )
    int[] primvars:st:indices.timeSamples = { 1: [1, 0, 1], 2: [0, 0, 0] }
  }
}
)");
  Next(1);
  const v1::FrameValue st = values_["/X/M.primvars:st"];
  EXPECT_EQ(Numbers<float>("/X/M.primvars:st"), (std::vector<float>{4, 5}));
  ASSERT_EQ(st.indices_size(), 1);
  EXPECT_EQ(Unpack<int>(st.indices(0).array_value()), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(st.element_size(), 1);
  EXPECT_EQ(Numbers<float>("/X/M.primvars:all"), std::vector<float>{7}) << "inherited";
  EXPECT_EQ(Next(2), Strings{"value /X/M.primvars:st"});
  options_.mutable_selection()->set_flatten_primvars(true);
  options_.mutable_selection()->add_primvars("st");
  Next(1);
  EXPECT_TRUE(IsComplete()) << "of another selection";
  EXPECT_EQ(Numbers<float>("/X/M.primvars:st"), (std::vector<float>{5, 4, 5}));
  EXPECT_EQ(values_["/X/M.primvars:st"].indices_size(), 0);
  EXPECT_FALSE(values_.contains("/X/M.primvars:all"));
}

TEST_F(FrameHandlerTest, PointsAreDeformedBySkeletons) {
  Load(Concat(R"(def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)",
              kTwoJoints, R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    uniform token[] skel:joints = ["a/b", "a"]
    int[] primvars:skel:jointIndices = [1, 0] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
}
)"));
  Next(0);
  EXPECT_EQ(Numbers<float>("/C/M.points"), (std::vector<float>{0, 1, 0, 0, 3, 0}));
  EXPECT_EQ(Next(10), Strings{"value /C/M.points"});
  EXPECT_EQ(Numbers<float>("/C/M.points"), (std::vector<float>{0, 1, 0, 0, 5, 0}));
  EXPECT_EQ(Next(11), Strings());
  options_.mutable_selection()->set_without_skinning(true);
  Next(10);
  EXPECT_EQ(Numbers<float>("/C/M.points"), (std::vector<float>{0, 1, 0, 0, 3, 0}));
}

TEST_F(FrameHandlerTest, EqualValuesOfGeometryComeOnce) {
  Write("tree.usda", R"(def Xform "Tree" {
  def Mesh "Leaves" {
    int[] faceVertexCounts = [3, 3]
    point3f[] points.timeSamples = { 1: [(1, 0, 0)], 2: [(2, 0, 0)], 3: [(3, 0, 0)] }
  }
}
)");
  Load(R"(def "A" (
  references = @tree.usda@</Tree>
) {
}
def "B" (
  references = @tree.usda@</Tree>
) {
  over "Leaves" {
    uniform token orientation = "leftHanded"
  }
}
)");
  Next(1);
  EXPECT_TRUE(WasShared("/B/Leaves.faceVertexCounts"));
  EXPECT_TRUE(WasShared("/B/Leaves.points"));
  EXPECT_FALSE(WasShared("/B/Leaves.orientation")) << "another value";
  EXPECT_FALSE(WasShared("/A/Leaves.points")) << "was sent";
  EXPECT_EQ(Numbers<float>("/B/Leaves.points"), (std::vector<float>{1, 0, 0}));
  // Of the next frame, too.
  EXPECT_EQ(Next(2), (Strings{"value /A/Leaves.points", "value /B/Leaves.points"}));
  EXPECT_EQ(shared_, Strings{"/B/Leaves.points"});
  EXPECT_EQ(Numbers<float>("/B/Leaves.points"), (std::vector<float>{2, 0, 0}));
  // Frames of other replies are not referred to.
  Edit(R"(over "B" {
  over "Leaves" {
    double3 xformOp:translate = (1, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
}
)");
  Next(2);
  EXPECT_TRUE(IsComplete());
  EXPECT_TRUE(WasShared("/B/Leaves.points"));
}

TEST_F(FrameHandlerTest, ValuesThatDependOnThePrimAreReadForEach) {
  Write("tree.usda", R"(def Xform "Tree" {
  def Mesh "Leaves" {
    int[] faceVertexCounts = [3]
    timecode primvars:fall = 1
  }
}
)");
  Load(R"(def "A" (
  references = @tree.usda@</Tree>
) {
  float primvars:age = 1
}
def "B" (
  references = @tree.usda@</Tree> (offset = 10)
) {
  float primvars:age = 2
}
def "C" (
  references = @tree.usda@</Tree>
) {
}
)");
  Next(1);
  const auto value = [&](const std::string& name) { return values_.at(name).values(0); };
  EXPECT_EQ(value("/A/Leaves.primvars:fall").time_code_value(), 1);
  EXPECT_EQ(value("/B/Leaves.primvars:fall").time_code_value(), 11);
  EXPECT_EQ(value("/A/Leaves.primvars:age").float_value(), 1);
  EXPECT_EQ(value("/B/Leaves.primvars:age").float_value(), 2);
  EXPECT_FALSE(values_.contains("/C/Leaves.primvars:age"));
  EXPECT_TRUE(WasShared("/B/Leaves.faceVertexCounts"));
  EXPECT_TRUE(WasShared("/C/Leaves.faceVertexCounts"));
}

TEST_F(FrameHandlerTest, TheSelectionSaysWhatIsDrawn) {
  Load(kScene);
  options_.mutable_selection()->add_roots("/X");
  Next(1);
  EXPECT_EQ(rows_.size(), 2u);
  options_.mutable_selection()->add_excluded("/X/Flag");
  Next(1);
  EXPECT_EQ(rows_.size(), 1u);
  options_.mutable_selection()->clear_excluded();
  options_.mutable_selection()->add_types("Mesh");
  Next(1);
  EXPECT_EQ(rows_.size(), 1u);
  EXPECT_TRUE(rows_.contains("/X/Flag"));
  options_.mutable_selection()->set_types(0, "NoTypeOfThisName");
  Next(1);
  EXPECT_EQ(rows_.size(), 0u);
}

TEST_F(FrameHandlerTest, RejectsSelectionsThatMakeNoSense) {
  Load(kScene);
  const auto reason = [&](const auto& change) {
    auto request = RequestAt(1);
    change(request);
    return Failure(request);
  };
  using Request = v1::ExtractFrameRequest;
  EXPECT_EQ(reason([](Request& r) { r.mutable_selection()->add_roots("/None"); }),
            "PRIM_NOT_FOUND");
  EXPECT_EQ(reason([](Request& r) { r.mutable_selection()->add_excluded("none"); }),
            "INVALID_PATH");
  EXPECT_EQ(reason([](Request& r) { r.mutable_selection()->set_camera("/X"); }), "WRONG_KIND");
  EXPECT_EQ(reason([](Request& r) { r.mutable_selection()->set_render_settings("/X"); }),
            "WRONG_KIND");
  EXPECT_EQ(reason([](Request& r) { r.mutable_selection()->set_render_pass("/X"); }), "WRONG_KIND");
  EXPECT_EQ(reason([](Request& r) { r.mutable_selection()->add_purposes(v1::PURPOSE_OTHER); }),
            "INVALID_FIELD");
  EXPECT_EQ(reason([](Request& r) { r.clear_time(); }), "INVALID_TIME");
  EXPECT_EQ(reason([](Request& r) {
              r.mutable_time()->mutable_default_time();
              r.mutable_sample_policy()->set_shutter_close(1);
            }),
            "INVALID_TIME");
  EXPECT_EQ(reason([](Request& r) {
              for (int i = 0; i < 1000; ++i) r.mutable_selection()->add_types("Mesh");
            }),
            "");
  EXPECT_EQ(reason([](Request& r) {
              for (int i = 0; i < 1001; ++i) r.mutable_selection()->add_primvars("st");
            }),
            "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
