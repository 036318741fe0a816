#include "server/converters/value_converter.h"

#include <bit>
#include <string>

#include "base/strings.h"
#include "scene/usda/value_text.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/source_bytes.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "server/converters/spline_converter.h"
#include "server/converters/wire_text.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {
namespace {

static_assert(std::endian::native == std::endian::little, "packed values are sent as they are");

// Protobuf refuses messages nested more than 100 deep; a nested dictionary takes three levels.
constexpr int kMaxDepth = 28;

// ------------------------------------------------------------------------------ packed numbers

struct Packing {
  v1::ComponentType component = v1::COMPONENT_TYPE_UNSPECIFIED;
  v1::ElementShape shape = v1::ELEMENT_SHAPE_UNSPECIFIED;
  uint32_t components = 0;
  uint32_t bytes = 0;
};

template <typename T>
inline constexpr v1::ComponentType kComponent = v1::COMPONENT_TYPE_UNSPECIFIED;
template <>
inline constexpr v1::ComponentType kComponent<bool> = v1::COMPONENT_TYPE_BOOL;
template <>
inline constexpr v1::ComponentType kComponent<uint8_t> = v1::COMPONENT_TYPE_UINT8;
template <>
inline constexpr v1::ComponentType kComponent<int32_t> = v1::COMPONENT_TYPE_INT32;
template <>
inline constexpr v1::ComponentType kComponent<uint32_t> = v1::COMPONENT_TYPE_UINT32;
template <>
inline constexpr v1::ComponentType kComponent<int64_t> = v1::COMPONENT_TYPE_INT64;
template <>
inline constexpr v1::ComponentType kComponent<uint64_t> = v1::COMPONENT_TYPE_UINT64;
template <>
inline constexpr v1::ComponentType kComponent<Half> = v1::COMPONENT_TYPE_FLOAT16;
template <>
inline constexpr v1::ComponentType kComponent<float> = v1::COMPONENT_TYPE_FLOAT32;
template <>
inline constexpr v1::ComponentType kComponent<double> = v1::COMPONENT_TYPE_FLOAT64;
template <>
inline constexpr v1::ComponentType kComponent<TimeCode> = v1::COMPONENT_TYPE_TIME_CODE;
template <>
inline constexpr v1::ComponentType kComponent<Duration> = v1::COMPONENT_TYPE_DURATION;

template <typename T>
struct PackingOf {
  static constexpr Packing kPacking{kComponent<T>, v1::ELEMENT_SHAPE_SCALAR, 1, sizeof(T)};
};
template <typename T, int N>
struct PackingOf<Vec<T, N>> {
  static constexpr Packing kPacking{kComponent<T>, v1::ELEMENT_SHAPE_VECTOR, N, sizeof(T) * N};
};
template <typename T>
struct PackingOf<Quat<T>> {
  static constexpr Packing kPacking{kComponent<T>, v1::ELEMENT_SHAPE_QUATERNION, 4, sizeof(T) * 4};
};
template <int N>
struct PackingOf<Matrix<N>> {
  static constexpr Packing kPacking{v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_MATRIX, N* N,
                                    sizeof(double) * N* N};
};
template <>
struct PackingOf<std::string> {
  static constexpr Packing kPacking{};
};
template <>
struct PackingOf<Token> : PackingOf<std::string> {};
template <>
struct PackingOf<AssetPath> : PackingOf<std::string> {};
template <>
struct PackingOf<PathExpression> : PackingOf<std::string> {};

Packing PackingOfType(ValueType type) {
  switch (type) {
#define X(name, cpp, text)                                        \
  case ValueType::name:                                           \
    static_assert(PackingOf<cpp>::kPacking.bytes == 0 ||          \
                  PackingOf<cpp>::kPacking.bytes == sizeof(cpp)); \
    return PackingOf<cpp>::kPacking;
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return {};
  }
}

void FillPacked(const Packing& packing, const void* data, size_t count, v1::PackedValues* out) {
  out->set_component_type(packing.component);
  out->set_shape(packing.shape);
  out->set_components(packing.components);
  out->set_count(count);
  if (data != nullptr && count != 0) out->set_data(data, count * packing.bytes);
}

// ----------------------------------------------------------------------------- single values

void Fill(const Value& value, int depth, v1::Value* out);

void FillDictionary(const Dictionary& dictionary, int depth, v1::Dictionary* out) {
  for (const auto& [key, value] : dictionary) {
    v1::Dictionary::Entry* entry = out->add_entries();
    entry->set_key(WireText(key));
    Fill(value, depth + 1, entry->mutable_value());
  }
}

void FillAssetPath(const AssetPath& path, v1::AssetPath* out) {
  out->set_authored(WireText(path.authored));
  if (!path.evaluated.empty()) out->set_evaluated(WireText(path.evaluated));
  if (!path.resolved.empty()) out->set_resolved(WireText(path.resolved));
}

void FillReference(const Reference& reference, int depth, v1::Reference* out) {
  out->set_asset_path(WireText(reference.asset));
  out->set_prim_path(reference.prim_path.ToString());
  if (!reference.offset.IsIdentity()) {
    FillLayerOffset(reference.offset, out->mutable_layer_offset());
  }
  if (!reference.custom_data.empty()) {
    FillDictionary(reference.custom_data, depth, out->mutable_custom_data());
  }
}

void FillPayload(const Payload& payload, v1::Payload* out) {
  out->set_asset_path(WireText(payload.asset));
  out->set_prim_path(payload.prim_path.ToString());
  if (!payload.offset.IsIdentity()) {
    FillLayerOffset(payload.offset, out->mutable_layer_offset());
  }
}

// Each overload sets one member of v1::Value; the types that fields hold.
class Filler {
 public:
  Filler(int depth, v1::Value* out) : depth_(depth), out_(out) {}

  void operator()(bool v) { out_->set_bool_value(v); }
  void operator()(uint8_t v) { out_->set_uchar_value(v); }
  void operator()(int32_t v) { out_->set_int_value(v); }
  void operator()(uint32_t v) { out_->set_uint_value(v); }
  void operator()(int64_t v) { out_->set_int64_value(v); }
  void operator()(uint64_t v) { out_->set_uint64_value(v); }
  void operator()(Half v) { out_->set_half_value(v); }
  void operator()(float v) { out_->set_float_value(v); }
  void operator()(double v) { out_->set_double_value(v); }
  void operator()(Duration v) { out_->set_duration_value(v.value); }
  void operator()(TimeCode v) { out_->set_time_code_value(v.value); }
  void operator()(const std::string& v) { out_->set_string_value(WireText(v)); }
  void operator()(Token v) { out_->set_token_value(WireText(v.text())); }
  void operator()(const AssetPath& v) { FillAssetPath(v, out_->mutable_asset_path_value()); }
  void operator()(const PathExpression& v) { out_->set_path_expression_value(WireText(v.text)); }
  template <typename T, int N>
  void operator()(const Vec<T, N>& v) {
    FillPacked(PackingOf<Vec<T, N>>::kPacking, &v, 1, out_->mutable_tuple_value());
  }
  template <typename T>
  void operator()(const Quat<T>& v) {
    FillPacked(PackingOf<Quat<T>>::kPacking, &v, 1, out_->mutable_tuple_value());
  }
  template <int N>
  void operator()(const Matrix<N>& v) {
    FillPacked(PackingOf<Matrix<N>>::kPacking, &v, 1, out_->mutable_tuple_value());
  }

  void operator()(Path v) { out_->set_path_value(v.ToString()); }
  void operator()(const Dictionary& v) {
    FillDictionary(v, depth_, out_->mutable_dictionary_value());
  }
  void operator()(const Reference& v) { FillReference(v, depth_, out_->mutable_reference()); }
  void operator()(const Payload& v) { FillPayload(v, out_->mutable_payload()); }
  void operator()(const LayerOffset& v) { FillLayerOffset(v, out_->mutable_layer_offset()); }
  void operator()(Specifier v) {
    out_->set_specifier(static_cast<v1::Specifier>(static_cast<int>(v) + 1));
  }
  void operator()(Permission v) {
    out_->set_permission(static_cast<v1::Permission>(static_cast<int>(v) + 1));
  }
  void operator()(Variability v) {
    out_->set_variability(static_cast<v1::Variability>(static_cast<int>(v) + 1));
  }
  void operator()(ValueBlock) { out_->mutable_block(); }
  void operator()(AnimationBlock) { out_->mutable_animation_block(); }
  void operator()(const UnregisteredValue& v) {
    Fill(v.held, depth_ + 1, out_->mutable_unregistered_value());
  }
  template <typename T>
  void operator()(const ListOp<T>& v) {
    v1::ListOp* op = out_->mutable_list_op();
    op->set_is_explicit(v.is_explicit);
    FillItems(v.explicit_items, op->mutable_explicit_items());
    FillItems(v.prepended, op->mutable_prepended_items());
    FillItems(v.appended, op->mutable_appended_items());
    FillItems(v.deleted, op->mutable_deleted_items());
    FillItems(v.added, op->mutable_added_items());
    FillItems(v.ordered, op->mutable_ordered_items());
  }
  void operator()(const VariantSelections& v) {
    v1::Dictionary* dictionary = out_->mutable_dictionary_value();
    for (const auto& [set, variant] : v) {
      v1::Dictionary::Entry* entry = dictionary->add_entries();
      entry->set_key(WireText(set));
      entry->mutable_value()->set_string_value(WireText(variant));
    }
  }
  void operator()(const Relocates& v) {
    v1::Relocates* relocates = out_->mutable_relocates();
    for (const auto& [source, target] : v) {
      v1::Relocates::Relocate* relocate = relocates->add_relocates();
      relocate->set_source(source.ToString());
      relocate->set_target(target.ToString());
    }
  }
  void operator()(const std::vector<LayerOffset>& v) {
    FillItems(v, out_->mutable_value_array()->mutable_values());
  }
  void operator()(const std::vector<Token>& v) {
    v1::StringArray* array = out_->mutable_token_array();
    for (const Token token : v) array->add_values(WireText(token.text()));
  }
  void operator()(const std::vector<std::string>& v) {
    v1::StringArray* array = out_->mutable_string_array();
    for (const std::string& text : v) array->add_values(WireText(text));
  }
  void operator()(const std::vector<Path>& v) {
    v1::StringArray* array = out_->mutable_path_array();
    for (const Path path : v) array->add_values(path.ToString());
  }
  void operator()(const std::vector<double>& v) {
    FillPacked(PackingOf<double>::kPacking, v.data(), v.size(), out_->mutable_array_value());
  }
  void operator()(const Spline& v) { FillSpline(v, out_->mutable_spline()); }
  void operator()(const ArrayEdit& v) {
    constexpr std::string_view kWord = "edit ";
    std::string text;
    usda::AppendValueText(Value(v), &text);
    if (text.compare(0, kWord.size(), kWord) == 0) text.erase(0, kWord.size());
    out_->set_array_edit(WireText(text));
  }

 private:
  template <typename Items>
  void FillItems(const Items& items, google::protobuf::RepeatedPtrField<v1::Value>* out) {
    out->Reserve(static_cast<int>(items.size()));
    for (const auto& item : items) Filler(depth_ + 1, out->Add())(item);
  }

  const int depth_;
  v1::Value* const out_;
};

// ------------------------------------------------------------------------------------ arrays

void FillArray(const Value& value, v1::Value* out) {
  const Packing packing = PackingOfType(value.type());
  if (packing.bytes != 0) {
    FillPacked(packing, value.array()->raw_data(), value.array()->size(),
               out->mutable_array_value());
    if (const absl::Status status = CheckUnchanged(value); !status.ok()) {
      out->set_invalid_value(WireText(std::string(status.message())));
    }
  } else if (const auto* strings = value.Get<Array<std::string>>()) {
    v1::StringArray* array = out->mutable_string_array();
    for (const std::string& text : *strings) array->add_values(WireText(text));
  } else if (const auto* tokens = value.Get<Array<Token>>()) {
    v1::StringArray* array = out->mutable_token_array();
    for (const Token token : *tokens) array->add_values(WireText(token.text()));
  } else if (const auto* assets = value.Get<Array<AssetPath>>()) {
    v1::AssetPathArray* array = out->mutable_asset_path_array();
    for (const AssetPath& asset : *assets) FillAssetPath(asset, array->add_values());
  } else if (const auto* expressions = value.Get<Array<PathExpression>>()) {
    v1::StringArray* array = out->mutable_path_expression_array();
    for (const PathExpression& expression : *expressions)
      array->add_values(WireText(expression.text));
  }
}

void FillSamples(const TimeSamples& samples, int depth, v1::TimeSamples* out) {
  out->mutable_times()->Add(samples.times().begin(), samples.times().end());
  for (size_t i = 0; i < samples.size(); ++i) Fill(samples.At(i), depth + 1, out->add_values());
}

void Fill(const Value& value, int depth, v1::Value* out) {
  if (depth > kMaxDepth) {
    out->set_invalid_value("nested too deep");
    return;
  }
  if (value.is_array()) return FillArray(value, out);
  if (const TimeSamples* samples = value.samples()) {
    return FillSamples(*samples, depth, out->mutable_time_samples());
  }
  switch (value.type()) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return Filler(depth, out)(*value.Get<cpp>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, ...)    \
  case ValueType::name: \
    return Filler(depth, out)(*value.Get<__VA_ARGS__>());
    STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
    case ValueType::kInvalid:
      return out->set_invalid_value(WireText(value.invalid_reason()));
    case ValueType::kEmpty:
    case ValueType::kTimeSamples:
      return;
  }
}

}  // namespace

void FillValue(const Value& value, v1::Value* out) { Fill(value, 0, out); }

bool FillPackedHeader(const Value& value, v1::PackedValues* out) {
  if (!value.is_array()) return false;
  const Packing packing = PackingOfType(value.type());
  if (packing.bytes == 0) return false;
  FillPacked(packing, nullptr, value.array()->size(), out);
  return true;
}

void FillPackedMatrices(std::span<const Matrix4d> matrices, v1::PackedValues* out) {
  FillPacked(PackingOf<Matrix4d>::kPacking, matrices.data(), matrices.size(), out);
}

void FillPackedVectors(std::span<const Vec3f> vectors, v1::PackedValues* out) {
  FillPacked(PackingOf<Vec3f>::kPacking, vectors.data(), vectors.size(), out);
}

size_t PackedElementBytes(ValueType type) { return PackingOfType(type).bytes; }

void FillLayerOffset(const LayerOffset& offset, v1::LayerOffset* out) {
  out->set_offset(offset.offset);
  out->set_scale(offset.scale);
}

}  // namespace stagedoor
