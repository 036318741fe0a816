#include "tests/tools/value_json.h"

#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "scene/usda/value_text.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/spline_evaluation.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// Appends JSON to a string, adding commas between members and items.
class Json {
 public:
  explicit Json(std::string* out) : out_(out) {}

  template <typename T>
  void Number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) {
        *out_ += std::isnan(value) ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"";
        return;
      }
    }
    char buffer[64];
    char* const last = buffer + sizeof(buffer);
    char* end = std::to_chars(buffer, last, value).ptr;
    if constexpr (std::is_same_v<T, float>) {
      // Print large numbers with the shortest distinguishing digits, not as an integer.
      constexpr auto kScientific = std::chars_format::scientific;
      if (std::abs(value) >= 0x1p24f) end = std::to_chars(buffer, last, value, kScientific).ptr;
    }
    out_->append(buffer, end);
  }
  template <typename Items, typename Each>
  void List(const Items& items, Each each) {
    *out_ += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) *out_ += ',';
      each(item);
    }
    *out_ += ']';
  }
  void Open() {
    *out_ += '{';
    empty_ = true;
  }
  void Key(std::string_view key) {
    if (!std::exchange(empty_, false)) *out_ += ',';
    AppendJsonString(key, out_);
    *out_ += ':';
  }
  void Close() {
    *out_ += '}';
    empty_ = false;
  }

  void Item(bool v) { *out_ += v ? "true" : "false"; }
  void Item(uint8_t v) { Number(static_cast<unsigned>(v)); }
  void Item(int32_t v) { Number(v); }
  void Item(uint32_t v) { Number(v); }
  void Item(int64_t v) { Number(v); }
  void Item(uint64_t v) { Number(v); }
  void Item(Half v) { Number(static_cast<float>(v)); }
  void Item(float v) { Number(v); }
  void Item(double v) { Number(v); }
  void Item(TimeCodeValue v) { Number(v.value); }
  void Item(Duration v) { Number(v.value); }
  void Item(const std::string& v) { AppendJsonString(v, out_); }
  void Item(Token v) { AppendJsonString(v.text(), out_); }
  void Item(Path v) { AppendJsonString(v.ToString(), out_); }
  void Item(const PathExpressionValue& v) { AppendJsonString(v.text, out_); }
  void Item(const AssetPath& v) {
    Open();
    Key("asset");
    Item(v.authored);
    if (!v.evaluated.empty()) {
      Key("evaluated");
      Item(v.evaluated);
    }
    Close();
  }
  template <typename T, int N>
  void Item(const Vec<T, N>& v) {
    List(v.v, [this](const T& x) { Item(x); });
  }
  template <typename T>
  void Item(const Quat<T>& v) {
    *out_ += '[';
    Item(v.real);
    for (const T& x : v.imaginary.v) {
      *out_ += ',';
      Item(x);
    }
    *out_ += ']';
  }
  template <int N>
  void Item(const Matrix<N>& v) {
    List(v.m, [this](const auto& row) { List(row, [this](double x) { Item(x); }); });
  }

  void Item(const Dictionary& v) {
    Open();
    for (const auto& [key, value] : v) {
      Key(key);
      AppendValueJson(value, out_);
    }
    Close();
  }
  template <typename Arc>
  void Arc_(const Arc& v) {
    Open();
    Key("asset");
    Item(v.asset);
    Key("path");
    Item(v.prim_path);
    if (!v.offset.IsIdentity()) {
      Key("layerOffset");
      Item(v.offset);
    }
    if constexpr (std::is_same_v<Arc, Reference>) {
      if (!v.custom_data.empty()) {
        Key("customData");
        Item(v.custom_data);
      }
    }
    Close();
  }
  void Item(const Reference& v) { Arc_(v); }
  void Item(const Payload& v) { Arc_(v); }
  void Item(const LayerOffset& v) {
    Open();
    Key("offset");
    Item(v.offset);
    Key("scale");
    Item(v.scale);
    Close();
  }
  void Item(Specifier v) {
    AppendJsonString(v == Specifier::kDef ? "def" : v == Specifier::kOver ? "over" : "class", out_);
  }
  void Item(Permission v) {
    AppendJsonString(v == Permission::kPublic ? "public" : "private", out_);
  }
  void Item(Variability v) {
    AppendJsonString(v == Variability::kVarying ? "varying" : "uniform", out_);
  }
  void Item(ValueBlock) { *out_ += "{\"blocked\":true}"; }
  void Item(AnimationBlock) { *out_ += "{\"animationBlocked\":true}"; }
  void Item(const UnregisteredValue& v) { AppendValueJson(v.held, out_); }
  void Item(const VariantSelections& v) {
    Open();
    for (const auto& [set, variant] : v) {
      Key(set);
      Item(variant);
    }
    Close();
  }
  void Item(const std::pair<Path, Path>& v) {
    *out_ += '[';
    Item(v.first);
    *out_ += ',';
    Item(v.second);
    *out_ += ']';
  }
  template <typename T>
  void Item(const std::vector<T>& v) {
    List(v, [this](const T& x) { Item(x); });
  }
  template <typename T>
  void Item(const ListOp<T>& v) {
    Open();
    const auto list = [&](const char* name, const std::vector<T>& items) {
      Key(name);
      Item(items);
    };
    if (v.is_explicit) list("explicit", v.explicit_items);
    if (!v.prepended.empty()) list("prepended", v.prepended);
    if (!v.appended.empty()) list("appended", v.appended);
    if (!v.deleted.empty()) list("deleted", v.deleted);
    if (!v.added.empty()) list("added", v.added);
    if (!v.ordered.empty()) list("ordered", v.ordered);
    Close();
  }
  void Item(const ArrayEdit& v) {
    Open();
    Key("edit");
    std::string text;
    usda::AppendValueText(Value(v), &text);
    AppendJsonString(std::string_view(text).substr(5), out_);  // without the leading "edit "
    Close();
  }
  void Item(const Spline& v);
  void Item(const SplineKnot& v);
  void Item(const Extrapolation& v);

 private:
  std::string* const out_;
  bool empty_ = true;
};

const char* ModeWord(ExtrapolationMode mode) {
  switch (mode) {
    case ExtrapolationMode::kValueBlock:
      return "valueBlock";
    case ExtrapolationMode::kHeld:
      return "held";
    case ExtrapolationMode::kLinear:
      return "linear";
    case ExtrapolationMode::kSloped:
      return "sloped";
    case ExtrapolationMode::kLoopRepeat:
      return "loopRepeat";
    case ExtrapolationMode::kLoopReset:
      return "loopReset";
    case ExtrapolationMode::kLoopOscillate:
      break;
  }
  return "loopOscillate";
}

const char* NextWord(KnotInterpolation next) {
  switch (next) {
    case KnotInterpolation::kValueBlock:
      return "valueBlock";
    case KnotInterpolation::kHeld:
      return "held";
    case KnotInterpolation::kLinear:
      return "linear";
    case KnotInterpolation::kCurve:
      break;
  }
  return "curve";
}

void Json::Item(const Extrapolation& v) {
  Open();
  Key("mode");
  AppendJsonString(ModeWord(v.mode), out_);
  if (v.mode == ExtrapolationMode::kSloped) {
    Key("slope");
    Item(v.slope);
  }
  Close();
}

void Json::Item(const SplineKnot& v) {
  Open();
  Key("time");
  Item(v.time);
  Key("value");
  Item(v.value);
  if (v.dual_valued) {
    Key("preValue");
    Item(v.pre_value);
  }
  Key("next");
  AppendJsonString(NextWord(v.next), out_);
  const auto tangent = [&](const char* name, double width, double slope, TangentAlgorithm how) {
    Key(name);
    Item(std::vector<double>{width, slope});
    if (how == TangentAlgorithm::kNone) return;
    Key(std::string(name) + "Algorithm");
    AppendJsonString(how == TangentAlgorithm::kCustom ? "custom" : "autoEase", out_);
  };
  tangent("preTan", v.pre_tangent_width, v.pre_tangent_slope, v.pre_tangent_algorithm);
  tangent("postTan", v.post_tangent_width, v.post_tangent_slope, v.post_tangent_algorithm);
  if (!v.custom_data.empty()) {
    Key("customData");
    Item(v.custom_data);
  }
  Close();
}

void Json::Item(const Spline& v) {
  *out_ += "{\"spline\":";
  Open();
  Key("curveType");
  AppendJsonString(v.curve_type == CurveType::kBezier ? "bezier" : "hermite", out_);
  Key("valueType");
  const bool timecode = v.time_valued && v.value_type == ValueType::kDouble;
  AppendJsonString(ValueTypeKeyword(timecode ? ValueType::kTimeCode : v.value_type), out_);
  if (v.time_valued) {
    Key("timeValued");
    Item(true);
  }
  Key("pre");
  Item(v.pre);
  Key("post");
  Item(v.post);
  if (HasInnerLoops(v)) {
    Key("loop");
    Open();
    Key("protoStart");
    Item(v.loop->proto_start);
    Key("protoEnd");
    Item(v.loop->proto_end);
    Key("numPreLoops");
    Item(v.loop->pre_loops);
    Key("numPostLoops");
    Item(v.loop->post_loops);
    Key("valueOffset");
    Item(v.loop->value_offset);
    Close();
  }
  Key("knots");
  Item(v.knots);
  Close();
  *out_ += '}';
}

void AppendSamples(const TimeSamples& samples, std::string* out) {
  Json json(out);
  json.Open();
  for (size_t i = 0; i < samples.size(); ++i) {
    std::string key;
    Json(&key).Item(samples.times()[i]);
    if (key[0] == '"') key = key.substr(1, key.size() - 2);
    json.Key(key);
    AppendValueJson(samples.At(i), out);
  }
  json.Close();
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  *out += '"';
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->append("\\").append(1, c);
    } else if (byte < 32) {
      out->append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      *out += c;
    }
  }
  *out += '"';
}

void AppendValueJson(const Value& value, std::string* out) {
  Json json(out);
  if (value.is_array()) {
    switch (value.type()) {
#define X(name, type, text) \
  case ValueType::name:     \
    return json.List(*value.Get<Array<type>>(), [&](const type& v) { json.Item(v); });
      STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
      default:
        return;
    }
  }
  switch (value.type()) {
    case ValueType::kEmpty:
    case ValueType::kInvalid:
      *out += "null";
      return;
    case ValueType::kTimeSamples:
      return AppendSamples(*value.samples(), out);
#define X(name, type, text) \
  case ValueType::name:     \
    return json.Item(*value.Get<type>());
      STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, type)   \
  case ValueType::name: \
    return json.Item(*value.Get<type>());
      STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
  }
}

}  // namespace stagedoor
