// The handles of the C++ library with a real server: every type of value, arrays that are not sent
// again, samples, geometry, edits.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/client.h"
#include "client/cc/error_reason.h"
#include "client/sdk/stage.h"
#include "client/sdk/value_types.h"
#include "server/testing/server_test.h"

namespace stagedoor::sdk {
namespace {

using Strings = std::vector<std::string>;

class SdkTest : public server::ServerTest {
 protected:
  // Opens "/root.usda" with a connection of its own, which keeps `cache_bytes` of arrays.
  Stage OpenStage(size_t cache_bytes = 1 << 20, const StageOptions& options = {}) {
    std::vector<std::unique_ptr<Client>> clients;
    clients.push_back(Client::FromChannel(channel(), {}));
    ConnectionOptions connection;
    connection.array_cache_bytes = cache_bytes;
    connection_ = Connection::FromClients(std::move(clients), connection);
    return Stage::Open(connection_, "/root.usda", options).value();
  }

  std::shared_ptr<Connection> connection_;
};

constexpr char kTypes[] = R"(def Mesh "A" {
  bool b = true
  uchar uc = 200
  int i = -5
  uint ui = 4000000000
  int64 i64 = -5000000000
  uint64 u64 = 18000000000000000000
  half h = 0.5
  float f = 1.5
  double d = 2.5
  timecode tc = 7
  string s = "text"
  token t = "word"
  asset a = @./a.png@
  int2 v2i = (1, 2)
  half3 v3h = (1, 2, 3)
  float4 v4f = (1, 2, 3, 4)
  double3 v3d = (1, 2, 3)
  quatf q = (1, 2, 3, 4)
  matrix2d m2 = ((1, 2), (3, 4))
  matrix4d m4 = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (5,6,7,1))
  bool[] ab = [1, 0]
  uchar[] auc = [200]
  int[] ai = [-5, 6]
  uint[] aui = [4000000000]
  int64[] ai64 = [-5000000000]
  uint64[] au64 = [18000000000000000000]
  half[] ah = [0.5]
  float[] af = [1.5, 2.5]
  double[] ad = [2.5]
  string[] as = ["x", "y"]
  token[] at = ["z"]
  asset[] aa = [@./a.png@, @./b.png@]
  point3f[] ap = [(1, 2, 3), (4, 5, 6)]
  quath[] aq = [(1, 2, 3, 4)]
  matrix4d[] am = [((1,0,0,0), (0,1,0,0), (0,0,1,0), (5,6,7,1))]
  int[] empty = []
  double none
  double blocked = None
  rel r = </A>
}
)";

TEST_F(SdkTest, ScalarsOfAllTypes) {
  Write("root.usda", kTypes);
  const Prim prim = OpenStage().GetPrimAtPath("/A");
  EXPECT_EQ(prim.GetAttribute("b").Get<bool>(1).value(), true);
  EXPECT_EQ(prim.GetAttribute("uc").Get<uint8_t>(1).value(), 200);
  EXPECT_EQ(prim.GetAttribute("i").Get<int>(1).value(), -5);
  EXPECT_EQ(prim.GetAttribute("ui").Get<uint32_t>(1).value(), 4000000000U);
  EXPECT_EQ(prim.GetAttribute("i64").Get<int64_t>(1).value(), -5000000000);
  EXPECT_EQ(prim.GetAttribute("u64").Get<uint64_t>(1).value(), 18000000000000000000U);
  EXPECT_EQ(prim.GetAttribute("h").Get<float>(1).value(), 0.5F);
  EXPECT_EQ(prim.GetAttribute("f").Get<double>(1).value(), 1.5);
  EXPECT_EQ(prim.GetAttribute("d").Get<double>(1).value(), 2.5);
  EXPECT_EQ(prim.GetAttribute("tc").Get<double>(1).value(), 7);
  EXPECT_EQ(prim.GetAttribute("s").Get<std::string>(1).value(), "text");
  EXPECT_EQ(prim.GetAttribute("t").Get<std::string>(1).value(), "word");
  EXPECT_EQ(prim.GetAttribute("a").Get<AssetPath>(1)->authored, "./a.png");
}

TEST_F(SdkTest, TuplesOfAllTypes) {
  Write("root.usda", kTypes);
  const Prim prim = OpenStage().GetPrimAtPath("/A");
  EXPECT_EQ(prim.GetAttribute("v2i").Get<Vec2i>(1).value(), (Vec2i{1, 2}));
  EXPECT_EQ(static_cast<float>(prim.GetAttribute("v3h").Get<Vec3h>(1).value()[2]), 3);
  EXPECT_EQ(prim.GetAttribute("v4f").Get<Vec4f>(1).value(), (Vec4f{1, 2, 3, 4}));
  EXPECT_EQ(prim.GetAttribute("v3d").Get<Vec3d>(1).value(), (Vec3d{1, 2, 3}));
  EXPECT_EQ(prim.GetAttribute("q").Get<Quatf>(1).value(), (Quatf{2, 3, 4, 1})) << "i, j, k, real";
  EXPECT_EQ(prim.GetAttribute("m2").Get<Matrix2d>(1).value(), (Matrix2d{{{1, 2}, {3, 4}}}));
  EXPECT_EQ(prim.GetAttribute("m4").Get<Matrix4d>(1).value()[3][2], 7);
}

TEST_F(SdkTest, ArraysOfAllTypes) {
  Write("root.usda", kTypes);
  const Prim prim = OpenStage().GetPrimAtPath("/A");
  const auto get = [&](const char* name) { return prim.GetAttribute(name).GetValue(1).value(); };
  EXPECT_EQ(get("ab").Get<std::vector<uint8_t>>().value(), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(get("auc").Get<std::vector<uint8_t>>().value(), std::vector<uint8_t>{200});
  EXPECT_EQ(get("ai").Get<std::vector<int>>().value(), (std::vector<int>{-5, 6}));
  EXPECT_EQ(get("aui").Get<std::vector<uint32_t>>().value(), std::vector<uint32_t>{4000000000U});
  EXPECT_EQ(get("ai64").Get<std::vector<int64_t>>().value(), std::vector<int64_t>{-5000000000});
  EXPECT_EQ(get("au64").Get<std::vector<uint64_t>>().value(),
            std::vector<uint64_t>{18000000000000000000U});
  EXPECT_EQ(static_cast<float>(get("ah").Get<Array<Half>>().value()[0]), 0.5F);
  EXPECT_EQ(get("af").Get<std::vector<float>>().value(), (std::vector<float>{1.5, 2.5}));
  EXPECT_EQ(get("ad").Get<std::vector<double>>().value(), std::vector<double>{2.5});
  EXPECT_EQ(get("as").Get<Strings>().value(), (Strings{"x", "y"}));
  EXPECT_EQ(get("at").Get<Strings>().value(), Strings{"z"});
  EXPECT_EQ(get("aa").Get<std::vector<AssetPath>>().value()[1].authored, "./b.png");
  EXPECT_EQ(get("ap").Get<std::span<const Vec3f>>().value()[1], (Vec3f{4, 5, 6}));
  EXPECT_EQ(static_cast<float>(get("aq").Get<Array<Quath>>().value()[0][3]), 1);
  EXPECT_EQ(get("am").Get<Array<Matrix4d>>().value()[0][3][0], 5);
  EXPECT_TRUE(get("empty").Get<Array<int>>().value().empty());
}

TEST_F(SdkTest, MissingValuesAndWrongPathsHaveReasons) {
  Write("root.usda", kTypes);
  const Stage stage = OpenStage();
  const auto reason = [&](const char* path) {
    return ErrorReason(stage.GetAttributeAtPath(path).Get<double>(1).status());
  };
  EXPECT_EQ(reason("/A.none"), "NO_VALUE");
  EXPECT_EQ(reason("/A.blocked"), "VALUE_BLOCKED");
  EXPECT_EQ(reason("/A.s"), "WRONG_TYPE");
  EXPECT_EQ(reason("/A.nothing"), "ATTRIBUTE_NOT_FOUND");
  EXPECT_EQ(reason("/B.x"), "PRIM_NOT_FOUND");
  EXPECT_EQ(reason("/A.r"), "WRONG_KIND");
  EXPECT_EQ(reason("A.d"), "INVALID_PATH");
  EXPECT_EQ(ErrorMetadata(stage.GetAttributeAtPath("/A.s").Get<double>(1).status()).at("path"),
            "/A.s");
  EXPECT_EQ(stage.GetAttributeAtPath("/A.none").Get<std::optional<double>>(1).value(),
            std::nullopt);
}

// A mesh whose topology is constant and large enough to have a digest, and whose points have two
// samples.
std::string MeshText() {
  std::string counts = "[3";
  for (int i = 1; i < 1000; ++i) counts += ", 3";
  std::string points = "[(0, 0, 0)";
  for (int i = 1; i < 500; ++i) points += ", (1, 2, " + std::to_string(i) + ")";
  return "def Mesh \"M\" {\n  int[] faceVertexCounts = " + counts +
         "]\n  point3f[] points.timeSamples = {\n    1: " + points + "],\n    2: " + points +
         ", (9, 9, 9)],\n  }\n}\n";
}

TEST_F(SdkTest, ArraysThatTheClientHasAreNotSentAgain) {
  Write("root.usda", MeshText());
  const Stage stage = OpenStage();
  const std::string paths[] = {"/M.faceVertexCounts", "/M.points"};
  const int* first = nullptr;
  for (const double time : {1, 2, 1, 2}) {
    const Values values = stage.GetValues(paths, time).value();
    const auto counts = values.Get<Array<int>>(0, 0).value();
    EXPECT_EQ(counts.size(), 1000u);
    if (first == nullptr) first = counts.data();
    EXPECT_EQ(counts.data(), first) << "the same array, at " << time;
    EXPECT_EQ(values.Get<Array<Vec3f>>(1, 0).value().size(), time == 1 ? 500u : 501u);
  }
  const auto statistics = connection_->array_cache_statistics();
  EXPECT_EQ(statistics.misses, 3u) << "counts, and points at two times";
  EXPECT_EQ(statistics.hits, 5u);
  EXPECT_EQ(statistics.held_bytes, 1000 * sizeof(int) + 1001 * sizeof(Vec3f));
  const Samples samples = stage.GetAttributeAtPath("/M.points").GetSamples(1, 2).value();
  ASSERT_EQ(samples.samples.size(), 2u);
  EXPECT_EQ(samples.samples[1].value.Get<Array<Vec3f>>().value()[500], (Vec3f{9, 9, 9}));
  EXPECT_EQ(connection_->array_cache_statistics().misses, 3u);
}

TEST_F(SdkTest, WithoutCacheArraysAreSentEachTime) {
  Write("root.usda", MeshText());
  const Attribute counts = OpenStage(/*cache_bytes=*/0).GetAttributeAtPath("/M.faceVertexCounts");
  const auto first = counts.Get<Array<int>>(1).value();
  EXPECT_NE(counts.Get<Array<int>>(1)->data(), first.data());
  EXPECT_EQ(connection_->array_cache_statistics().misses, 0u);
}

TEST_F(SdkTest, LargeBatchesAreStreamedWithTheSameResult) {
  Write("root.usda", MeshText() + "def \"N\" { double x.timeSamples = { 1: 1, 2: 2 }; }\n");
  server::ServerOptions options;
  options.limits.max_reply_bytes = 4096;
  Start(options);
  const std::string paths[] = {"/M.points", "/N.x", "/N.nothing"};
  for (const size_t cache : {0, 1 << 20}) {
    const Stage stage = OpenStage(cache);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Values values = stage.GetValues(paths, Times::Range("1:2")).value();
      EXPECT_EQ(values.path_count(), 3u);
      EXPECT_EQ(values.time_count(), 2u);
      EXPECT_EQ(values.Get<Array<Vec3f>>(0, 1)->size(), 501u);
      EXPECT_EQ(values.GetNumbers(1).value(), (std::vector<double>{1, 2}));
      EXPECT_EQ(ErrorReason(values.Get(2, 1).status()), "ATTRIBUTE_NOT_FOUND");
      EXPECT_EQ(values.snapshot(), stage.snapshot());
    }
  }
}

TEST_F(SdkTest, SamplesOfConstantAndVaryingAttributes) {
  Write("root.usda", "def \"P\" { double c = 3; double x.timeSamples = { 0: 0, 10: 10 }; }\n");
  const Stage stage = OpenStage();
  const std::string paths[] = {"/P.c", "/P.x", "/P.nothing"};
  const std::vector<Samples> all = stage.GetSamples(paths, 4, 6).value();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0].constant);
  ASSERT_EQ(all[0].samples.size(), 1u);
  EXPECT_FALSE(all[0].samples[0].time.has_value());
  EXPECT_FALSE(all[1].constant);
  ASSERT_EQ(all[1].samples.size(), 2u);
  EXPECT_EQ(all[1].samples[1].time, 10);
  EXPECT_EQ(all[1].samples[1].value.Get<double>().value(), 10);
  EXPECT_EQ(ErrorReason(all[2].status), "ATTRIBUTE_NOT_FOUND");
  EXPECT_EQ(stage.GetAttributeAtPath("/P.x").GetTimeSamples().value(),
            (std::vector<double>{0, 10}));
  EXPECT_EQ(ErrorReason(stage.GetAttributeAtPath("/P.nothing").GetTimeSamples().status()),
            "ATTRIBUTE_NOT_FOUND");
}

TEST_F(SdkTest, KindsOfTimes) {
  Write("root.usda", "def \"P\" {\n double x = 5\n double x.timeSamples = { 3: 30, 10: 100 }\n}\n");
  const Attribute x = OpenStage().GetAttributeAtPath("/P.x");
  EXPECT_EQ(x.Get<double>(TimeCode::Default()).value(), 5);
  EXPECT_EQ(x.Get<double>(TimeCode::Earliest()).value(), 30);
  EXPECT_EQ(x.Get<double>(TimeCode::PreTime(10)).value(), 100);
  EXPECT_EQ(x.Get<double>(10).value(), 100);
}

TEST_F(SdkTest, TransformsAndBounds) {
  Write("root.usda", R"(def Xform "X" {
  double3 xformOp:translate.timeSamples = { 1: (1, 0, 0), 2: (2, 0, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Cube "C" {
    double size = 2
  }
}
)");
  const Stage stage = OpenStage();
  const std::string paths[] = {"/X", "/Nobody", "/X/C"};
  const auto transforms = stage.GetTransforms(paths, {1, 2}).value();
  EXPECT_EQ(transforms.Get(2, 1).value()[3][0], 2);
  EXPECT_EQ(ErrorReason(transforms.Get(1, 0).status()), "PRIM_NOT_FOUND");
  EXPECT_EQ(transforms.Get(0, 2).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(transforms.Get(3, 0).status().code(), absl::StatusCode::kOutOfRange);
  const auto bounds = stage.GetBounds(paths, {1, 2}).value();
  EXPECT_EQ(bounds.Get(0, 1).value(), (Range3d{{1, -1, -1}, {3, 1, 1}}));
  EXPECT_EQ(stage.GetPrimAtPath("/X/C").GetBounds(1).value().max, (Vec3d{2, 1, 1}));
  EXPECT_EQ(ErrorReason(stage.GetPrimAtPath("/Nobody").GetTransform(1).status()), "PRIM_NOT_FOUND");
}

TEST_F(SdkTest, PrimsAndTheirContents) {
  Write("root.usda", R"(( defaultPrim = "A" )
def Xform "A" {
  def Sphere "S" {}
  def Cube "C" {
    custom double extra = 1
    rel link = </A>
  }
}
)");
  const Stage stage = OpenStage();
  EXPECT_EQ(stage.GetDefaultPrim().path(), "/A");
  std::vector<std::string> paths;
  const std::vector<Prim> gprims = stage.FindPrims("Gprim").value();
  for (const Prim& prim : gprims) paths.push_back(prim.path());
  EXPECT_EQ(paths, (Strings{"/A/S", "/A/C"}));
  EXPECT_EQ(stage.FindPrims("", "/A/C").value().size(), 1u);
  EXPECT_EQ(stage.GetPseudoRoot().GetChildren().value().size(), 1u);
  const Prim cube = stage.GetPrimAtPath("/A/C");
  EXPECT_EQ(cube.GetTypeName().value(), "Cube");
  bool has_extra = false;
  const std::vector<Attribute> attributes = cube.GetAttributes().value();
  for (const Attribute& attribute : attributes) {
    EXPECT_NE(attribute.name(), "link") << "a relationship";
    has_extra |= attribute.name() == "extra";
  }
  EXPECT_TRUE(has_extra);
  EXPECT_TRUE(cube.Exists().value());
  EXPECT_FALSE(cube.GetChild("Nobody").Exists().value());
  EXPECT_EQ(stage.GetPrimAtPath("not a path").Exists().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(SdkTest, EditsAreSeenExceptByPinnedHandles) {
  Write("root.usda", "def \"P\" { double x = 1; }\n");
  const Stage stage = OpenStage();
  const Stage before = stage.AtSnapshot(stage.snapshot());
  const std::string old = stage.snapshot();
  const std::string text = "#usda 1.0\nover \"P\" { double x = 2; }\n";
  const std::string snapshot = stage.SetSessionLayer(text, old).value();
  EXPECT_NE(snapshot, old);
  EXPECT_EQ(stage.snapshot(), snapshot);
  EXPECT_EQ(stage.GetAttributeAtPath("/P.x").Get<double>(1).value(), 2);
  EXPECT_EQ(before.GetAttributeAtPath("/P.x").Get<double>(1).value(), 1);
  EXPECT_EQ(before.snapshot(), old);
  EXPECT_EQ(ErrorReason(stage.SetSessionLayer("", old).status()), "SNAPSHOT_CONFLICT");
  EXPECT_EQ(stage.SetSessionLayer("", snapshot).value(), old) << "the layer is gone";
  EXPECT_EQ(stage.Refresh().value(), old);
}

TEST_F(SdkTest, OptionsOfStages) {
  Write("root.usda", "def \"A\" { double x = 1; }\ndef \"B\" { double x = 1; }\n");
  const Stage stage = OpenStage(
      0, {.session_layer = "#usda 1.0\nover \"A\" { double x = 7; }\n", .population_mask = {"/A"}});
  EXPECT_EQ(stage.GetAttributeAtPath("/A.x").Get<double>(1).value(), 7);
  EXPECT_FALSE(stage.GetPrimAtPath("/B").Exists().value());
  EXPECT_EQ(ErrorReason(Stage::Open(connection_, "/nothing.usda").status()), "LAYER_NOT_FOUND");
}

}  // namespace
}  // namespace stagedoor::sdk
