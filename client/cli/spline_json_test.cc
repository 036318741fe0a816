#include "client/cli/spline_json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "client/cli/value_json.h"
#include "google/protobuf/text_format.h"

namespace stagedoor {
namespace {

// The JSON of a spline in protobuf's text format.
std::string Json(const std::string& text) {
  v1::Value value;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, value.mutable_spline())) << text;
  JsonWriter json;
  WriteValue(value, json);
  return json.Take();
}

// The text between `begin` and `end`; the whole text if there is no `begin`.
std::string Between(const std::string& json, std::string_view begin, std::string_view end) {
  const size_t at = json.find(begin);
  if (at == std::string::npos) return "nothing in " + json;
  const size_t from = at + begin.size();
  return json.substr(from, json.find(end, from) - from);
}

constexpr char kPlainKnot[] =
    R"({"time":0,"value":0,"next":"held","preTan":[0,0],"postTan":[0,0]})";

TEST(SplineJsonTest, UnsetFieldsAreWrittenAsDefaults) {
  EXPECT_EQ(Json("value_type: 'double'"),
            R"({"spline":{"curveType":"bezier","valueType":"double","pre":{"mode":"held"},)"
            R"("post":{"mode":"held"},"knots":[]}})");
  EXPECT_EQ(Between(Json("knots {}"), R"("knots":[)", "]}}"), kPlainKnot);
}

TEST(SplineJsonTest, WritesCurveAndValueTypes) {
  EXPECT_EQ(Json("curve_type: CURVE_TYPE_HERMITE value_type: 'float' time_valued: true"),
            R"({"spline":{"curveType":"hermite","valueType":"float","timeValued":true,)"
            R"("pre":{"mode":"held"},"post":{"mode":"held"},"knots":[]}})");
  EXPECT_EQ(Json("curve_type: CURVE_TYPE_BEZIER").substr(0, 32),
            R"({"spline":{"curveType":"bezier",)");
}

TEST(SplineJsonTest, OnlySlopedExtrapolationHasASlope) {
  const struct {
    std::string mode, expected;
  } kCases[] = {{"UNSPECIFIED", R"({"mode":"held"})"},
                {"VALUE_BLOCK", R"({"mode":"valueBlock"})"},
                {"HELD", R"({"mode":"held"})"},
                {"LINEAR", R"({"mode":"linear"})"},
                {"SLOPED", R"({"mode":"sloped","slope":0.1})"},
                {"LOOP_REPEAT", R"({"mode":"loopRepeat"})"},
                {"LOOP_RESET", R"({"mode":"loopReset"})"},
                {"LOOP_OSCILLATE", R"({"mode":"loopOscillate"})"}};
  for (const auto& c : kCases) {
    const std::string text =
        "_extrapolation { mode: EXTRAPOLATION_MODE_" + c.mode + " slope: 0.1 }";
    EXPECT_EQ(Between(Json("pre" + text), R"("pre":)", R"(,"post":)"), c.expected) << c.mode;
    EXPECT_EQ(Between(Json("post" + text), R"("post":)", R"(,"knots")"), c.expected) << c.mode;
  }
}

TEST(SplineJsonTest, UnknownEnumeratorsAreWrittenAsDefaults) {
  v1::Value value;
  v1::Spline& spline = *value.mutable_spline();
  spline.mutable_pre_extrapolation()->set_mode(static_cast<v1::Spline::ExtrapolationMode>(8));
  spline.mutable_post_extrapolation()->set_mode(static_cast<v1::Spline::ExtrapolationMode>(-1));
  spline.set_curve_type(static_cast<v1::Spline::CurveType>(3));
  v1::Spline::Knot& knot = *spline.add_knots();
  knot.set_next(static_cast<v1::Spline::Segment>(5));
  knot.mutable_pre_tangent()->set_algorithm(static_cast<v1::Spline::TangentAlgorithm>(3));
  JsonWriter json;
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), R"({"spline":{"curveType":"bezier","valueType":"","pre":{"mode":"held"},)"
                         R"("post":{"mode":"held"},"knots":[{"time":0,"value":0,"next":"held",)"
                         R"("preTan":[0,0],"postTan":[0,0],"preTanAlgorithm":"none"}]}})");
}

TEST(SplineJsonTest, LoopsAreWrittenIfTheyHaveAnEffect) {
  const auto loop = [](const std::string& text) {
    return Between(Json("knots { time: 1 } knots { time: 4 } inner_loop { " + text + " }"),
                   R"("post":{"mode":"held"},)", R"("knots")");
  };
  EXPECT_EQ(loop("proto_start: 1 proto_end: 4.5 num_pre_loops: 2 num_post_loops: 3 "
                 "value_offset: 0.25"),
            R"("loop":{"protoStart":1,"protoEnd":4.5,"numPreLoops":2,"numPostLoops":3,)"
            R"("valueOffset":0.25},)");
  const struct {
    std::string text;
    bool written;
  } kCases[] = {
      {"proto_start: 1 proto_end: 4 num_pre_loops: 1", true},
      {"proto_start: 1 proto_end: 4 num_post_loops: 1", true},
      {"proto_start: 4 proto_end: 5 num_post_loops: 1", true},
      {"proto_start: 1 proto_end: 4 num_pre_loops: 1 num_post_loops: -1", true},
      {"proto_start: 1 proto_end: 4 num_pre_loops: -1 num_post_loops: 1", true},
      // No repeats, no length, or no knot at the start.
      {"proto_start: 1 proto_end: 4", false},
      {"proto_start: 1 proto_end: 4 num_pre_loops: -1 num_post_loops: -1", false},
      {"proto_start: 1 proto_end: 1 num_post_loops: 1", false},
      {"proto_start: 4 proto_end: 1 num_post_loops: 1", false},
      {"proto_start: 1 proto_end: nan num_post_loops: 1", false},
      {"proto_start: 2 proto_end: 4 num_post_loops: 1", false},
  };
  for (const auto& c : kCases) EXPECT_EQ(!loop(c.text).empty(), c.written) << c.text;
}

TEST(SplineJsonTest, KnotsHaveAllTheirFields) {
  const std::string json = Json(R"(
      value_type: "double"
      knots {
        time: 1.5 value: 0.1 pre_value: 0.2 next: SEGMENT_CURVE
        pre_tangent { width: 0.3 slope: -0.4 algorithm: TANGENT_ALGORITHM_CUSTOM }
        post_tangent { width: 0.5 slope: 0.6 algorithm: TANGENT_ALGORITHM_AUTO_EASE }
        custom_data { entries { key: "k" value { int_value: 7 } } }
      }
      knots { time: 2 value: 3 pre_value: 0 })");
  EXPECT_EQ(Between(json, R"("knots":)", "]}}") + "]",
            R"([{"time":1.5,"value":0.1,"preValue":0.2,"next":"curve","preTan":[0.3,-0.4],)"
            R"("postTan":[0.5,0.6],"preTanAlgorithm":"custom","postTanAlgorithm":"autoEase",)"
            R"("customData":{"k":7}},)"
            R"({"time":2,"value":3,"preValue":0,"next":"held","preTan":[0,0],"postTan":[0,0]}])");
}

TEST(SplineJsonTest, SegmentsHaveNames) {
  const struct {
    std::string segment, expected;
  } kCases[] = {{"UNSPECIFIED", "held"},
                {"VALUE_BLOCK", "valueBlock"},
                {"HELD", "held"},
                {"LINEAR", "linear"},
                {"CURVE", "curve"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Between(Json("knots { next: SEGMENT_" + c.segment + " }"), R"("next":")", "\""),
              c.expected);
  }
}

// The float nearest to 0.1 is the double 0.10000000149011612.
TEST(SplineJsonTest, ValuesAndSlopesAreInThePrecisionOfTheCurve) {
  const std::string knot =
      "knots { time: 0.10000000149011612 value: 0.10000000149011612 "
      "pre_value: 0.10000000149011612 "
      "post_tangent { width: 0.10000000149011612 slope: 0.10000000149011612 } }";
  const struct {
    std::string type, value;
  } kCases[] = {{"double", "0.10000000149011612"},
                {"timecode", "0.10000000149011612"},
                {"", "0.10000000149011612"},
                {"float", "0.1"},
                {"half", "0.1"}};
  for (const auto& c : kCases) {
    const std::string json = Json("value_type: '" + c.type + "' " + knot);
    EXPECT_EQ(Between(json, R"("value":)", ","), c.value) << c.type;
    EXPECT_EQ(Between(json, R"("preValue":)", ","), c.value) << c.type;
    EXPECT_EQ(Between(json, R"("postTan":)", "}"), "[0.10000000149011612," + c.value + "]")
        << c.type << ": widths are times";
    EXPECT_EQ(Between(json, R"("time":)", ","), "0.10000000149011612") << c.type;
  }
}

}  // namespace
}  // namespace stagedoor
