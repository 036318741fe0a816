// The C interface with a real server: each kind of value, samples, skinned points, transforms,
// bounds, watches, and the errors of single items. client.c uses it as C programs do.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/sdk/stagedoor.h"
#include "server/testing/server_test.h"

namespace stagedoor {
namespace {

constexpr double kDefaultTime = std::numeric_limits<double>::quiet_NaN();

// The message of an error, which is destroyed.
std::string Take(sd_error* error) {
  std::string message = sd_error_message(error);
  sd_error_destroy(error);
  return message;
}

std::string_view DataOf(const sd_asset* asset) {
  size_t size = 0;
  const void* const data = sd_asset_data(asset, &size);
  return {static_cast<const char*>(data), size};
}

class CInterfaceTest : public server::ServerTest {
 protected:
  ~CInterfaceTest() override {
    sd_values_destroy(values_);
    sd_stage_destroy(stage_);
    sd_connection_destroy(connection_);
  }

  // Opens "/root.usda" with this content.
  void Open(std::string_view content) {
    Write("root.usda", content);
    server::ServerOptions options;
    options.addresses = {"127.0.0.1:0"};
    Start(options);
    const char* const addresses[] = {server().addresses().front().c_str()};
    sd_connect_options connect = SD_INIT(sd_connect_options);
    connect.addresses = addresses;
    connect.address_count = 1;
    ASSERT_EQ(sd_connect(&connect, &connection_, nullptr), SD_OK);
    sd_error* error = nullptr;
    ASSERT_EQ(sd_stage_open(connection_, "/root.usda", nullptr, &stage_, &error), SD_OK)
        << Take(error);
  }
  // Reads the default values of attributes of /A.
  void Read(const std::vector<std::string>& names) {
    sd_values_destroy(values_);
    values_ = nullptr;
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back("/A." + name);
    std::vector<const char*> texts;
    for (const std::string& path : paths) texts.push_back(path.c_str());
    sd_error* error = nullptr;
    ASSERT_EQ(sd_get_values(stage_, texts.data(), texts.size(), &kDefaultTime, 1, nullptr, &values_,
                            &error),
              SD_OK)
        << Take(error);
  }
  sd_value Value(size_t path) {
    sd_value value = {};
    sd_error* error = nullptr;
    EXPECT_EQ(sd_values_get(values_, path, 0, &value, &error), SD_OK) << Take(error);
    return value;
  }

  sd_connection* connection_ = nullptr;
  sd_stage* stage_ = nullptr;
  sd_values* values_ = nullptr;
};

TEST_F(CInterfaceTest, NumbersAreNumbersAndIntegers) {
  Open("def \"A\" {\n  bool b = true\n  int i = -5\n  double d = 2.5\n}\n");
  Read({"b", "i", "d"});
  EXPECT_EQ(sd_values_path_count(values_), 3u);
  EXPECT_EQ(sd_values_time_count(values_), 1u);
  for (size_t path = 0; path < 3; ++path) EXPECT_EQ(Value(path).kind, SD_NUMBER);
  EXPECT_EQ(Value(0).number, 1);
  EXPECT_EQ(Value(0).integer, 1);
  EXPECT_EQ(Value(1).integer, -5);
  EXPECT_EQ(Value(2).number, 2.5);
  EXPECT_EQ(Value(0).component, SD_COMPONENT_BOOL);
  EXPECT_EQ(Value(1).component, SD_COMPONENT_INT32);
  EXPECT_EQ(Value(2).component, SD_COMPONENT_FLOAT64);
  EXPECT_STREQ(Value(2).type_name, "double");
  double number = 0;
  EXPECT_EQ(sd_values_number(values_, 1, 0, &number, nullptr), SD_OK);
  EXPECT_EQ(number, -5);
}

TEST_F(CInterfaceTest, NumbersOfEachType) {
  Open(
      "def \"A\" {\n  uchar a = 255\n  uint b = 4294967295\n  int64 c = -9\n"
      "  uint64 d = 18446744073709551615\n  half e = 0.5\n  float f = 0.25\n  timecode g = 3\n}\n");
  Read({"a", "b", "c", "d", "e", "f", "g"});
  const std::vector<std::pair<sd_component, int64_t>> expected = {
      {SD_COMPONENT_UINT8, 255},  {SD_COMPONENT_UINT32, 4294967295}, {SD_COMPONENT_INT64, -9},
      {SD_COMPONENT_UINT64, -1},  {SD_COMPONENT_FLOAT16, 0},         {SD_COMPONENT_FLOAT32, 0},
      {SD_COMPONENT_TIME_CODE, 0}};
  for (size_t path = 0; path < expected.size(); ++path) {
    EXPECT_EQ(Value(path).kind, SD_NUMBER) << path;
    EXPECT_EQ(Value(path).component, expected[path].first) << path;
    EXPECT_EQ(Value(path).integer, expected[path].second) << path;
  }
  EXPECT_EQ(Value(4).number, 0.5);
  EXPECT_EQ(Value(6).number, 3);
}

TEST_F(CInterfaceTest, ANumberWhereASchemaHasATokenKeepsItsType) {
  Open("def Xform \"A\" {\n  int visibility = 3\n}\n");
  Read({"visibility"});
  EXPECT_EQ(Value(0).kind, SD_NUMBER);
  EXPECT_EQ(Value(0).component, SD_COMPONENT_INT32);
  EXPECT_EQ(Value(0).integer, 3);
}

TEST_F(CInterfaceTest, AssetsAreResolved) {
  Write("a.png", "");
  Open(
      "(\n  expressionVariables = { string NAME = \"b\" }\n)\n"
      "def \"A\" {\n  asset a = @./a.png@\n  asset[] aa = [@./a.png@, @./none.png@]\n"
      "  asset e = @`\"./${NAME}.png\"`@\n  string s = \"x\"\n}\n");
  Read({"a", "aa", "e", "s"});
  EXPECT_STREQ(sd_values_asset(values_, 0, 0, 0), "/a.png");
  EXPECT_EQ(sd_values_asset(values_, 0, 0, 1), nullptr);
  EXPECT_STREQ(sd_values_asset(values_, 1, 0, 0), "/a.png");
  EXPECT_STREQ(sd_values_asset(values_, 1, 0, 1), "./none.png");
  EXPECT_EQ(sd_values_asset(values_, 1, 0, 2), nullptr);
  EXPECT_STREQ(sd_values_asset(values_, 2, 0, 0), "./b.png");
  EXPECT_EQ(sd_values_asset(values_, 3, 0, 0), nullptr);
  EXPECT_EQ(sd_values_asset(nullptr, 0, 0, 0), nullptr);
}

TEST_F(CInterfaceTest, AssetsAreReadInRanges) {
  Open("def \"A\" {}\n");
  ASSERT_TRUE(files_->Put("/tex/a.png", "0123456789").ok());
  const auto read = [&](const sd_asset_options& options, sd_error** error) {
    sd_asset* asset = nullptr;
    sd_read_asset(connection_, "./tex/a.png", &options, nullptr, &asset, error);
    return asset;
  };
  sd_asset_options options = SD_INIT(sd_asset_options);
  options.anchor = "/root.usda";
  sd_asset* const whole = read(options, nullptr);
  EXPECT_EQ(DataOf(whole), "0123456789");
  EXPECT_STREQ(sd_asset_identifier(whole), "/tex/a.png");
  EXPECT_STREQ(sd_asset_resolved_path(whole), "/tex/a.png");
  options.version = sd_asset_version(whole);
  options.offset = 4;
  options.length = 2;
  sd_asset* const part = read(options, nullptr);
  EXPECT_EQ(DataOf(part), "45");
  EXPECT_EQ(sd_asset_size(part), 10u);
  options.without_data = 1;
  sd_asset* const none = read(options, nullptr);
  EXPECT_EQ(DataOf(none), "");
  ASSERT_TRUE(files_->Put("/tex/a.png", "changed").ok());
  sd_error* error = nullptr;
  EXPECT_EQ(read(options, &error), nullptr);
  EXPECT_EQ(sd_error_code(error), SD_ABORTED);
  EXPECT_STREQ(sd_error_reason(error), "ASSET_CHANGED");
  sd_error_destroy(error);
  options.resolver_context_size = 1;
  EXPECT_EQ(read(options, &error), nullptr);
  EXPECT_NE(Take(error).find("'resolver_context' of the options is NULL"), std::string::npos);
  options.resolver_context = "\xff";
  EXPECT_EQ(read(options, &error), nullptr);
  EXPECT_NE(Take(error).find("is not a ResolverContext"), std::string::npos);
  for (sd_asset* const asset : {whole, part, none}) sd_asset_destroy(asset);
}

TEST_F(CInterfaceTest, AReloadedStageHasANewSnapshot) {
  Open("def \"A\" {\n  double d = 1\n}\n");
  char before[33], after[33];
  ASSERT_EQ(sd_stage_snapshot(stage_, before, nullptr), SD_OK);
  sd_stage* pinned = nullptr;
  ASSERT_EQ(sd_stage_at_snapshot(stage_, before, &pinned, nullptr), SD_OK);
  Write("root.usda", "def \"A\" {\n  double d = 2.5\n}\n");
  EXPECT_EQ(sd_stage_reload(stage_, nullptr, nullptr), SD_OK);
  ASSERT_EQ(sd_stage_snapshot(stage_, after, nullptr), SD_OK);
  EXPECT_STRNE(before, after);
  Read({"d"});
  EXPECT_EQ(Value(0).number, 2.5);
  sd_values* earlier = nullptr;
  ASSERT_EQ(sd_get_value(pinned, "/A.d", kDefaultTime, nullptr, &earlier, nullptr), SD_OK);
  double number = 0;
  EXPECT_EQ(sd_values_number(earlier, 0, 0, &number, nullptr), SD_OK);
  EXPECT_EQ(number, 1);
  sd_values_destroy(earlier);
  sd_stage_destroy(pinned);
}

TEST_F(CInterfaceTest, TuplesAndArraysArePacked) {
  Open(
      "def \"A\" {\n  float3 v = (1, 2, 3)\n  matrix2d m = ((1, 2), (3, 4))\n"
      "  point3f[] p = [(1, 2, 3), (4, 5, 6)]\n  int[] none = []\n}\n");
  Read({"v", "m", "p", "none"});
  const sd_value vector = Value(0), matrix = Value(1), points = Value(2), none = Value(3);
  EXPECT_EQ(vector.kind, SD_TUPLE);
  EXPECT_EQ(vector.component, SD_COMPONENT_FLOAT32);
  EXPECT_EQ(vector.columns, 3u);
  EXPECT_EQ(vector.count, 1u);
  EXPECT_EQ(static_cast<const float*>(vector.data)[2], 3);
  EXPECT_EQ(matrix.kind, SD_TUPLE);
  EXPECT_EQ(matrix.component, SD_COMPONENT_FLOAT64);
  EXPECT_EQ(matrix.rows, 2u);
  EXPECT_EQ(static_cast<const double*>(matrix.data)[3], 4);
  EXPECT_EQ(points.kind, SD_ARRAY);
  EXPECT_STREQ(points.type_name, "point3f[]");
  EXPECT_EQ(points.count, 2u);
  EXPECT_EQ(static_cast<const float*>(points.data)[5], 6);
  EXPECT_EQ(none.kind, SD_ARRAY);
  EXPECT_EQ(none.count, 0u);
}

TEST_F(CInterfaceTest, TextsAreGivenOneByOne) {
  Open(
      "def \"A\" {\n  string s = \"text\"\n  token t = \"word\"\n  asset a = @./a.png@\n"
      "  string[] ss = [\"x\", \"y\"]\n  asset[] aa = [@./a.png@, @./b.png@]\n"
      "  token[] none = []\n}\n");
  Read({"s", "t", "a", "ss", "aa", "none"});
  const std::vector<std::vector<std::string>> expected = {
      {"text"}, {"word"}, {"./a.png"}, {"x", "y"}, {"./a.png", "./b.png"}, {}};
  for (size_t path = 0; path < expected.size(); ++path) {
    const sd_value value = Value(path);
    EXPECT_EQ(value.kind, SD_TEXT) << path;
    ASSERT_EQ(value.count, expected[path].size()) << path;
    for (size_t i = 0; i < value.count; ++i) {
      EXPECT_EQ(sd_values_text(values_, path, 0, i), expected[path][i]);
    }
    EXPECT_EQ(sd_values_text(values_, path, 0, value.count), nullptr) << path;
  }
}

TEST_F(CInterfaceTest, OtherValuesAreDescribed) {
  Open(
      "def \"A\" {\n  double none\n  double blocked = None\n  rel r = </A>\n  string s = "
      "\"x\"\n}\n");
  Read({"none", "blocked", "r", "missing", "s"});
  EXPECT_EQ(Value(0).kind, SD_NONE);
  EXPECT_STREQ(Value(0).type_name, "");
  EXPECT_EQ(Value(1).kind, SD_BLOCKED);
  double number = 7;
  EXPECT_EQ(sd_values_number(values_, 0, 0, &number, nullptr), SD_NOT_FOUND);
  EXPECT_EQ(number, 7);
  sd_value value = {};
  sd_error* error = nullptr;
  EXPECT_EQ(sd_values_get(values_, 2, 0, &value, &error), SD_INVALID_ARGUMENT);
  EXPECT_STREQ(sd_error_reason(error), "WRONG_KIND");
  sd_error_destroy(error);
  EXPECT_EQ(sd_values_get(values_, 3, 0, &value, &error), SD_NOT_FOUND);
  EXPECT_EQ(sd_error_code(error), SD_NOT_FOUND);
  EXPECT_STREQ(sd_error_reason(error), "ATTRIBUTE_NOT_FOUND");
  EXPECT_NE(Take(error).find("/A.missing"), std::string::npos);
  EXPECT_EQ(sd_values_get(values_, 5, 0, &value, nullptr), SD_OUT_OF_RANGE);
  EXPECT_EQ(sd_values_text(values_, 5, 0, 0), nullptr);
  EXPECT_EQ(sd_values_text(values_, 0, 0, 0), nullptr);
}

TEST_F(CInterfaceTest, ValuesAndSamplesAtTimes) {
  Open("def \"A\" {\n  double x.timeSamples = { 1: 10, 3: 30 }\n  double x = 7\n}\n");
  const char* const path = "/A.x";
  const double times[] = {kDefaultTime, 1, 2};
  ASSERT_EQ(sd_get_values(stage_, &path, 1, times, 3, nullptr, &values_, nullptr), SD_OK);
  EXPECT_EQ(sd_values_time_count(values_), 3u);
  for (size_t time = 0; time < 3; ++time) {
    double number = 0;
    EXPECT_EQ(sd_values_number(values_, 0, time, &number, nullptr), SD_OK);
    EXPECT_EQ(number, (std::vector<double>{7, 10, 20})[time]);
  }
  sd_time_samples* samples = nullptr;
  ASSERT_EQ(sd_get_time_samples(stage_, path, nullptr, &samples, nullptr), SD_OK);
  ASSERT_EQ(sd_time_samples_count(samples), 2u);
  EXPECT_EQ(sd_time_samples_data(samples)[1], 3);
  sd_time_samples_destroy(samples);

  sd_values* one = nullptr;
  ASSERT_EQ(sd_get_value(stage_, path, 2, nullptr, &one, nullptr), SD_OK);
  double number = 0;
  EXPECT_EQ(sd_values_number(one, 0, 0, &number, nullptr), SD_OK);
  EXPECT_EQ(number, 20);
  sd_values_destroy(one);

  sd_error* error = nullptr;
  EXPECT_EQ(sd_get_values(stage_, &path, 1, times, 0, nullptr, &one, &error), SD_INVALID_ARGUMENT);
  EXPECT_EQ(Take(error), "there are no times");
}

constexpr char kSkinned[] = R"(def SkelRoot "A" {
  def Skeleton "Skel" (prepend apiSchemas = ["SkelBindingAPI"]) {
    uniform token[] joints = ["a"]
    uniform matrix4d[] bindTransforms = [((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,0,1))]
    uniform matrix4d[] restTransforms = [((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,0,1))]
    rel skel:animationSource = </A/Anim>
  }
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a"]
    float3[] translations.timeSamples = { 1: [(0, 0, 0)], 3: [(2, 0, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
  def Mesh "Mesh" (prepend apiSchemas = ["SkelBindingAPI"]) {
    rel skel:skeleton = </A/Skel>
    point3f[] points = [(0, 0, 0), (1, 2, 3)]
    int[] primvars:skel:jointIndices = [0, 0] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
}
def Cube "Cube" {
  double size = 2
  double3 xformOp:translate = (5, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";

TEST_F(CInterfaceTest, SkinnedPointsAndTheErrorsOfPrims) {
  Open(kSkinned);
  const char* const paths[] = {"/A/Mesh", "/Cube"};
  const double times[] = {1, 2};
  sd_skinned* skinned = nullptr;
  ASSERT_EQ(sd_get_skinned_points(stage_, paths, 2, times, 2, nullptr, &skinned, nullptr), SD_OK);
  size_t meshes = 0, errors = 0;
  for (size_t i = 0; i < sd_skinned_count(skinned); ++i) {
    sd_skinned_prim prim = {};
    sd_error* error = nullptr;
    if (sd_skinned_get(skinned, i, &prim, &error) == SD_OK) {
      ++meshes;
      EXPECT_STREQ(prim.path, "/A/Mesh");
      ASSERT_EQ(prim.point_count, 2u);
      EXPECT_EQ(prim.points[3], 1 + static_cast<float>(times[prim.time_index] - 1));
    } else {
      ++errors;
      EXPECT_STREQ(sd_error_reason(error), "WRONG_KIND");
      EXPECT_STREQ(sd_error_path(error), "/Cube");
      sd_error_destroy(error);
    }
  }
  EXPECT_EQ(meshes, 2u);
  EXPECT_EQ(errors, 1u);
  sd_skinned_prim prim = {};
  EXPECT_EQ(sd_skinned_get(skinned, 3, &prim, nullptr), SD_OUT_OF_RANGE);
  sd_skinned_destroy(skinned);
}

TEST_F(CInterfaceTest, TransformsAndBounds) {
  Open(kSkinned);
  const char* const paths[] = {"/Cube", "/Missing"};
  const double time = 1;
  sd_transforms* transforms = nullptr;
  ASSERT_EQ(sd_get_transforms(stage_, paths, 2, &time, 1, nullptr, &transforms, nullptr), SD_OK);
  double matrix[16] = {};
  ASSERT_EQ(sd_transforms_get(transforms, 0, 0, matrix, nullptr), SD_OK);
  EXPECT_EQ(std::vector<double>(matrix + 10, matrix + 16), (std::vector<double>{1, 0, 5, 0, 0, 1}));
  EXPECT_EQ(sd_transforms_get(transforms, 1, 0, matrix, nullptr), SD_NOT_FOUND);
  sd_transforms_destroy(transforms);

  sd_bounds* bounds = nullptr;
  ASSERT_EQ(sd_get_bounds(stage_, paths, 2, &time, 1, nullptr, &bounds, nullptr), SD_OK);
  double min[3] = {}, max[3] = {};
  ASSERT_EQ(sd_bounds_get(bounds, 0, 0, min, max, nullptr), SD_OK);
  EXPECT_EQ(min[0], 4);
  EXPECT_EQ(max[0], 6);
  EXPECT_EQ(max[2], 1);
  EXPECT_EQ(sd_bounds_get(bounds, 1, 0, min, max, nullptr), SD_NOT_FOUND);
  sd_bounds_destroy(bounds);
}

TEST_F(CInterfaceTest, WatchesReportEditsAndEnd) {
  Open("def \"A\" {\n  double x = 1\n}\ndef \"B\" {\n}\n");
  sd_watch* watch = nullptr;
  ASSERT_EQ(sd_watch_open(stage_, nullptr, 0, &watch, nullptr), SD_OK);
  sd_changes* changes = nullptr;
  EXPECT_EQ(sd_watch_next(watch, 1, &changes, nullptr), SD_DEADLINE_EXCEEDED);
  sd_error* error = nullptr;
  ASSERT_EQ(sd_stage_set_session_layer(stage_, "#usda 1.0\nover \"A\" {\n  double x = 5\n}\n",
                                       nullptr, &error),
            SD_OK)
      << Take(error);
  ASSERT_EQ(sd_watch_next(watch, 60000, &changes, &error), SD_OK) << Take(error);
  EXPECT_STRNE(sd_changes_snapshot(changes), "");
  EXPECT_EQ(sd_changes_affect(changes, "/A.x"), 1);
  EXPECT_EQ(sd_changes_affect(changes, "/B"), 0);
  EXPECT_EQ(sd_changes_affect(changes, nullptr), 0);
  ASSERT_GE(sd_changes_count(changes), 1u);
  EXPECT_EQ(std::string(sd_changes_path(changes, 0)).substr(0, 2), "/A");
  EXPECT_EQ(sd_changes_path(changes, sd_changes_count(changes)), nullptr);
  EXPECT_EQ(sd_changes_resynced(changes, sd_changes_count(changes)), 0);
  sd_changes_destroy(changes);
  sd_watch_stop(watch);
  EXPECT_EQ(sd_watch_next(watch, 60000, &changes, &error), SD_CANCELLED);
  EXPECT_EQ(Take(error), "the watch was stopped, or its stage was closed");
  sd_watch_destroy(watch);
}

TEST_F(CInterfaceTest, MissingArgumentsAreNamed) {
  Open("def \"A\" {\n}\n");
  sd_error* error = nullptr;
  sd_skinned* skinned = nullptr;
  sd_transforms* transforms = nullptr;
  sd_bounds* bounds = nullptr;
  sd_watch* watch = nullptr;
  sd_changes* changes = nullptr;
  sd_time_samples* samples = nullptr;
  const char* const paths[] = {"/A", nullptr};
  const double time = 1;
  const auto is = [&](sd_code code, const char* argument) {
    EXPECT_EQ(code, SD_INVALID_ARGUMENT) << argument;
    EXPECT_NE(Take(error).find(argument), std::string::npos) << argument;
    error = nullptr;
  };
  is(sd_get_values(nullptr, paths, 1, &time, 1, nullptr, &values_, &error), "'stage'");
  is(sd_get_values(stage_, paths, 1, &time, 1, nullptr, nullptr, &error), "'out'");
  is(sd_get_values(stage_, paths, 2, &time, 1, nullptr, &values_, &error), "string 1");
  is(sd_get_values(stage_, nullptr, 1, &time, 1, nullptr, &values_, &error), "array of strings");
  is(sd_get_value(stage_, nullptr, 1, nullptr, &values_, &error), "'path'");
  is(sd_values_get(nullptr, 0, 0, nullptr, &error), "'values'");
  is(sd_values_number(nullptr, 0, 0, nullptr, &error), "'values'");
  is(sd_get_time_samples(nullptr, "/A.x", nullptr, &samples, &error), "'stage'");
  is(sd_get_time_samples(stage_, nullptr, nullptr, &samples, &error), "'path'");
  is(sd_get_time_samples(stage_, "/A.x", nullptr, nullptr, &error), "'out'");
  is(sd_get_skinned_points(nullptr, paths, 1, &time, 1, nullptr, &skinned, &error), "'stage'");
  is(sd_get_skinned_points(stage_, paths, 1, &time, 1, nullptr, nullptr, &error), "'out'");
  is(sd_skinned_get(nullptr, 0, nullptr, &error), "'skinned'");
  is(sd_get_transforms(nullptr, paths, 1, &time, 1, nullptr, &transforms, &error), "'stage'");
  is(sd_get_transforms(stage_, paths, 1, &time, 1, nullptr, nullptr, &error), "'out'");
  is(sd_get_transforms(stage_, paths, 1, nullptr, 1, nullptr, &transforms, &error), "no times");
  is(sd_transforms_get(nullptr, 0, 0, nullptr, &error), "'transforms'");
  is(sd_get_bounds(nullptr, paths, 1, &time, 1, nullptr, &bounds, &error), "'stage'");
  is(sd_get_bounds(stage_, paths, 1, &time, 1, nullptr, nullptr, &error), "'out'");
  is(sd_bounds_get(nullptr, 0, 0, nullptr, nullptr, &error), "'bounds'");
  is(sd_watch_open(nullptr, nullptr, 0, &watch, &error), "'stage'");
  is(sd_watch_open(stage_, nullptr, 0, nullptr, &error), "'out'");
  is(sd_watch_open(stage_, paths, 2, &watch, &error), "string 1");
  is(sd_watch_next(nullptr, 0, &changes, &error), "'watch'");
  is(sd_stage_set_session_layer(nullptr, nullptr, nullptr, &error), "'stage'");
  is(sd_stage_reload(nullptr, nullptr, &error), "'stage'");
  is(sd_read_asset(nullptr, "/a", nullptr, nullptr, nullptr, &error), "'connection'");
  is(sd_read_asset(connection_, nullptr, nullptr, nullptr, nullptr, &error), "'asset_path'");
  is(sd_read_asset(connection_, "/a", nullptr, nullptr, nullptr, &error), "'out'");
}

TEST_F(CInterfaceTest, NullIsNothing) {
  EXPECT_EQ(sd_abi_version(), uint32_t{SD_ABI_VERSION});
  EXPECT_EQ(sd_error_code(nullptr), SD_OK);
  for (const auto text : {sd_error_reason, sd_error_message, sd_error_path, sd_error_hint}) {
    EXPECT_STREQ(text(nullptr), "");
  }
  EXPECT_EQ(sd_values_path_count(nullptr), 0u);
  EXPECT_EQ(sd_values_time_count(nullptr), 0u);
  EXPECT_EQ(sd_values_text(nullptr, 0, 0, 0), nullptr);
  EXPECT_EQ(sd_time_samples_count(nullptr), 0u);
  EXPECT_EQ(sd_time_samples_data(nullptr), nullptr);
  EXPECT_EQ(sd_skinned_count(nullptr), 0u);
  EXPECT_STREQ(sd_changes_snapshot(nullptr), "");
  EXPECT_EQ(sd_changes_affect(nullptr, "/A"), 0);
  EXPECT_EQ(sd_changes_count(nullptr), 0u);
  EXPECT_EQ(sd_changes_path(nullptr, 0), nullptr);
  EXPECT_EQ(sd_changes_resynced(nullptr, 0), 0);
  sd_watch_stop(nullptr);
  for (const auto text : {sd_asset_identifier, sd_asset_resolved_path, sd_asset_version}) {
    EXPECT_STREQ(text(nullptr), "");
  }
  EXPECT_EQ(sd_asset_size(nullptr), 0u);
  EXPECT_EQ(DataOf(nullptr), "");
}

}  // namespace
}  // namespace stagedoor
