#include "client/cli/spline_json.h"

#include <algorithm>
#include <string_view>

namespace stagedoor {
namespace {

// The words of the enumerators, indexed by value; UNSPECIFIED is first.
constexpr std::string_view kCurveTypes[] = {"bezier", "bezier", "hermite"};
constexpr std::string_view kSegments[] = {"held", "valueBlock", "held", "linear", "curve"};
constexpr std::string_view kModes[] = {"held",   "valueBlock", "held",      "linear",
                                       "sloped", "loopRepeat", "loopReset", "loopOscillate"};
constexpr std::string_view kAlgorithms[] = {"none", "custom", "autoEase"};

template <size_t N>
std::string_view Word(const std::string_view (&words)[N], int value) {
  return value >= 0 && value < static_cast<int>(N) ? words[value] : words[0];
}

// Writes one spline. Values and slopes are written in the precision of the spline's value type.
class SplineWriter {
 public:
  SplineWriter(const v1::Spline& spline, ValueWriter write_value, JsonWriter& json)
      : spline_(spline),
        write_value_(write_value),
        json_(json),
        is_double_(spline.value_type() != "float" && spline.value_type() != "half") {}

  void Write() {
    json_.BeginObject();
    Text("curveType", Word(kCurveTypes, spline_.curve_type()));
    Text("valueType", spline_.value_type());
    if (spline_.time_valued()) {
      json_.Key("timeValued");
      json_.Bool(true);
    }
    WriteExtrapolation("pre", spline_.pre_extrapolation());
    WriteExtrapolation("post", spline_.post_extrapolation());
    if (Loops(spline_)) WriteLoop(spline_.inner_loop());
    json_.Key("knots");
    json_.BeginArray();
    for (const v1::Spline::Knot& knot : spline_.knots()) WriteKnot(knot);
    json_.EndArray();
    json_.EndObject();
  }

 private:
  void Text(std::string_view key, std::string_view text) {
    json_.Key(key);
    json_.String(text);
  }
  void Double(std::string_view key, double value) {
    json_.Key(key);
    json_.Number(value);
  }
  void Number(double value) {
    is_double_ ? json_.Number(value) : json_.Number(static_cast<float>(value));
  }
  void InPrecision(std::string_view key, double value) {
    json_.Key(key);
    Number(value);
  }

  void WriteExtrapolation(std::string_view key, const v1::Spline::Extrapolation& extrapolation) {
    json_.Key(key);
    json_.BeginObject();
    Text("mode", Word(kModes, extrapolation.mode()));
    if (extrapolation.mode() == v1::Spline::EXTRAPOLATION_MODE_SLOPED) {
      Double("slope", extrapolation.slope());
    }
    json_.EndObject();
  }

  // Whether the inner loop has any effect: it must start at a knot, have a length, and repeat.
  static bool Loops(const v1::Spline& spline) {
    const v1::Spline::InnerLoop& loop = spline.inner_loop();
    if (!(loop.proto_end() > loop.proto_start())) return false;
    if (loop.num_pre_loops() <= 0 && loop.num_post_loops() <= 0) return false;
    return std::any_of(spline.knots().begin(), spline.knots().end(),
                       [&](const auto& knot) { return knot.time() == loop.proto_start(); });
  }

  void WriteLoop(const v1::Spline::InnerLoop& loop) {
    json_.Key("loop");
    json_.BeginObject();
    Double("protoStart", loop.proto_start());
    Double("protoEnd", loop.proto_end());
    json_.Key("numPreLoops");
    json_.Int(loop.num_pre_loops());
    json_.Key("numPostLoops");
    json_.Int(loop.num_post_loops());
    Double("valueOffset", loop.value_offset());
    json_.EndObject();
  }

  void WriteTangent(std::string_view key, const v1::Spline::Tangent& tangent) {
    json_.Key(key);
    json_.BeginArray();
    json_.Number(tangent.width());
    Number(tangent.slope());
    json_.EndArray();
  }

  void WriteAlgorithm(std::string_view key, const v1::Spline::Tangent& tangent) {
    if (tangent.algorithm() == v1::Spline::TANGENT_ALGORITHM_UNSPECIFIED) return;
    Text(key, Word(kAlgorithms, tangent.algorithm()));
  }

  void WriteKnot(const v1::Spline::Knot& knot) {
    json_.BeginObject();
    Double("time", knot.time());
    InPrecision("value", knot.value());
    if (knot.has_pre_value()) InPrecision("preValue", knot.pre_value());
    Text("next", Word(kSegments, knot.next()));
    WriteTangent("preTan", knot.pre_tangent());
    WriteTangent("postTan", knot.post_tangent());
    WriteAlgorithm("preTanAlgorithm", knot.pre_tangent());
    WriteAlgorithm("postTanAlgorithm", knot.post_tangent());
    if (!knot.custom_data().entries().empty()) {
      v1::Value custom_data;
      *custom_data.mutable_dictionary_value() = knot.custom_data();
      json_.Key("customData");
      write_value_(custom_data, json_);
    }
    json_.EndObject();
  }

  const v1::Spline& spline_;
  const ValueWriter write_value_;
  JsonWriter& json_;
  const bool is_double_;
};

}  // namespace

void WriteSpline(const v1::Spline& spline, ValueWriter write_value, JsonWriter& json) {
  json.BeginObject();
  json.Key("spline");
  SplineWriter(spline, write_value, json).Write();
  json.EndObject();
}

}  // namespace stagedoor
