#include "client/cli/value_json.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "client/cc/packed_numbers.h"
#include "client/cli/spline_json.h"
#include "client/cli/value_numbers.h"

namespace stagedoor {
namespace {

using google::protobuf::RepeatedPtrField;

// -------------------------------------------------------------------------------- packed numbers

template <typename T>
T Load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

void WriteComponent(v1::ComponentType type, const char* at, JsonWriter& json) {
  switch (type) {
    case v1::COMPONENT_TYPE_BOOL:
      return json.Bool(*at != 0);
    case v1::COMPONENT_TYPE_UINT8:
      return json.UInt(Load<uint8_t>(at));
    case v1::COMPONENT_TYPE_INT32:
      return json.Int(Load<int32_t>(at));
    case v1::COMPONENT_TYPE_UINT32:
      return json.UInt(Load<uint32_t>(at));
    case v1::COMPONENT_TYPE_INT64:
      return json.Int(Load<int64_t>(at));
    case v1::COMPONENT_TYPE_UINT64:
      return json.UInt(Load<uint64_t>(at));
    case v1::COMPONENT_TYPE_FLOAT16:
      return json.Number(HalfToFloat(Load<uint16_t>(at)));
    case v1::COMPONENT_TYPE_FLOAT32:
      return json.Number(Load<float>(at));
    default:
      return json.Number(Load<double>(at));
  }
}

void WriteRun(v1::ComponentType type, const char* at, size_t count, JsonWriter& json) {
  switch (type) {
    case v1::COMPONENT_TYPE_UINT8:
      return json.Numbers<uint8_t>(at, count);
    case v1::COMPONENT_TYPE_INT32:
      return json.Numbers<int32_t>(at, count);
    case v1::COMPONENT_TYPE_UINT32:
      return json.Numbers<uint32_t>(at, count);
    case v1::COMPONENT_TYPE_INT64:
      return json.Numbers<int64_t>(at, count);
    case v1::COMPONENT_TYPE_UINT64:
      return json.Numbers<uint64_t>(at, count);
    case v1::COMPONENT_TYPE_FLOAT32:
      return json.Numbers<float>(at, count);
    case v1::COMPONENT_TYPE_FLOAT64:
      return json.Numbers<double>(at, count);
    default:
      break;
  }
  const size_t bytes = ComponentBytes(type).value_or(8);
  json.BeginArray();
  for (size_t i = 0; i < count; ++i) WriteComponent(type, at + i * bytes, json);
  json.EndArray();
}

void WriteElement(const v1::PackedValues& packed, const char* at, JsonWriter& json) {
  const v1::ComponentType type = packed.component_type();
  const size_t bytes = ComponentBytes(type).value_or(8);
  switch (packed.shape()) {
    case v1::ELEMENT_SHAPE_VECTOR:
      return WriteRun(type, at, packed.columns(), json);
    case v1::ELEMENT_SHAPE_QUATERNION:
      json.BeginArray();
      for (const size_t i : {3, 0, 1, 2}) WriteComponent(type, at + i * bytes, json);
      return json.EndArray();
    case v1::ELEMENT_SHAPE_MATRIX:
    case v1::ELEMENT_SHAPE_RANGE: {
      const size_t columns = packed.columns();
      json.BeginArray();
      for (size_t row = 0; row < packed.rows(); ++row) {
        WriteRun(type, at + row * columns * bytes, columns, json);
      }
      return json.EndArray();
    }
    default:
      return WriteComponent(type, at, json);
  }
}

// The number of components that WriteElement writes; 0 for a shape that does not exist.
size_t Components(const v1::PackedValues& packed) {
  constexpr size_t kMost = 16;
  const size_t components = static_cast<size_t>(packed.rows()) * packed.columns();
  switch (packed.shape()) {
    case v1::ELEMENT_SHAPE_VECTOR:
    case v1::ELEMENT_SHAPE_MATRIX:
    case v1::ELEMENT_SHAPE_RANGE:
      return components > kMost ? 0 : components;
    case v1::ELEMENT_SHAPE_QUATERNION:
      return components == 4 ? components : 0;
    default:
      return components == 1 ? components : 0;
  }
}

size_t ElementBytes(const v1::PackedValues& packed) {
  return ComponentBytes(packed.component_type()).value_or(8) * Components(packed);
}

bool IsScalar(v1::ElementShape shape) {
  return shape != v1::ELEMENT_SHAPE_VECTOR && shape != v1::ELEMENT_SHAPE_QUATERNION &&
         shape != v1::ELEMENT_SHAPE_MATRIX && shape != v1::ELEMENT_SHAPE_RANGE;
}

// -------------------------------------------------------------------------------------- summaries

// Longer arrays are summarized on request.
constexpr size_t kMostShown = 8;
constexpr size_t kShownAtEachEnd = 2;

// 64-bit FNV-1a, which is easy to compute elsewhere.
class Digest {
 public:
  void Take(std::string_view bytes) {
    for (const char c : bytes) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  std::string Text() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) {
      text.push_back("0123456789abcdef"[hash_ >> shift & 15]);
    }
    return text;
  }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

// `write(i)` writes the element i.
template <typename Write>
void WriteSummary(size_t count, const Digest& digest, JsonWriter& json, const Write& write) {
  json.BeginObject();
  json.Key("count");
  json.UInt(count);
  json.Key("digest");
  json.String(digest.Text());
  json.Key("first");
  json.BeginArray();
  for (size_t i = 0; i < kShownAtEachEnd; ++i) write(i);
  json.EndArray();
  json.Key("last");
  json.BeginArray();
  for (size_t i = count - kShownAtEachEnd; i < count; ++i) write(i);
  json.EndArray();
  json.EndObject();
}

void WriteSummary(const v1::PackedValues& packed, size_t count, JsonWriter& json) {
  const size_t bytes = ElementBytes(packed);
  Digest digest;
  digest.Take(std::string_view(packed.data()).substr(0, count * bytes));
  WriteSummary(count, digest, json,
               [&](size_t i) { WriteElement(packed, packed.data().data() + i * bytes, json); });
}

// --------------------------------------------------------------------------------------- others

template <typename Strings>
void WriteStrings(const Strings& strings, JsonWriter& json) {
  if (json.summarizes_arrays() && static_cast<size_t>(strings.size()) > kMostShown) {
    Digest digest;
    for (const auto& text : strings) {
      digest.Take(text);
      digest.Take(std::string_view("\0", 1));
    }
    return WriteSummary(static_cast<size_t>(strings.size()), digest, json,
                        [&](size_t i) { json.String(strings[static_cast<int>(i)]); });
  }
  json.BeginArray();
  for (const auto& text : strings) json.String(text);
  json.EndArray();
}

void WriteValues(const RepeatedPtrField<v1::Value>& values, JsonWriter& json) {
  json.BeginArray();
  for (const v1::Value& value : values) WriteValue(value, json);
  json.EndArray();
}

void WriteAssetPath(const v1::AssetPath& path, JsonWriter& json) {
  json.BeginObject();
  json.Key("asset");
  json.String(path.authored());
  if (!path.evaluated().empty()) {
    json.Key("evaluated");
    json.String(path.evaluated());
  }
  json.EndObject();
}

void WriteDictionary(const v1::Dictionary& dictionary, JsonWriter& json) {
  json.BeginObject();
  for (const v1::Dictionary::Entry& entry : dictionary.entries()) {
    WriteField(entry.key(), entry.value(), json);
  }
  json.EndObject();
}

void WriteItems(std::string_view key, const RepeatedPtrField<v1::Value>& items, JsonWriter& json) {
  if (items.empty()) return;
  json.Key(key);
  WriteValues(items, json);
}

void WriteListOp(const v1::ListOp& op, JsonWriter& json) {
  json.BeginObject();
  if (op.is_explicit()) {
    json.Key("explicit");
    WriteValues(op.explicit_items(), json);
  }
  WriteItems("prepended", op.prepended_items(), json);
  WriteItems("appended", op.appended_items(), json);
  WriteItems("deleted", op.deleted_items(), json);
  WriteItems("added", op.added_items(), json);
  WriteItems("ordered", op.ordered_items(), json);
  json.EndObject();
}

void WriteLayerOffset(const v1::LayerOffset& offset, JsonWriter& json) {
  json.BeginObject();
  json.Key("offset");
  json.Number(offset.offset());
  json.Key("scale");
  json.Number(offset.scale());
  json.EndObject();
}

template <typename Arc>  // Reference or Payload
void WriteArc(const Arc& arc, const v1::Dictionary* custom_data, JsonWriter& json) {
  json.BeginObject();
  json.Key("asset");
  json.String(arc.asset_path());
  json.Key("path");
  json.String(arc.prim_path());
  if (arc.has_layer_offset()) {
    json.Key("layerOffset");
    WriteLayerOffset(arc.layer_offset(), json);
  }
  if (custom_data != nullptr && !custom_data->entries().empty()) {
    json.Key("customData");
    WriteDictionary(*custom_data, json);
  }
  json.EndObject();
}

void WriteRelocates(const v1::Relocates& relocates, JsonWriter& json) {
  json.BeginArray();
  for (const v1::Relocates::Relocate& relocate : relocates.relocates()) {
    json.BeginArray();
    json.String(relocate.source());
    json.String(relocate.target());
    json.EndArray();
  }
  json.EndArray();
}

void WriteTimeSamples(const v1::TimeSamples& samples, JsonWriter& json) {
  json.BeginObject();
  const std::span<const double> times = PackedNumbers<double>(samples.times());
  const auto values = static_cast<size_t>(samples.values_size());
  for (size_t i = 0; i < times.size() && i < values; ++i) {
    WriteField(FormatNumber(times[i]), samples.values(static_cast<int>(i)), json);
  }
  json.EndObject();
}

void WriteMark(std::string_view key, JsonWriter& json) {
  json.BeginObject();
  json.Key(key);
  json.Bool(true);
  json.EndObject();
}

void WriteText(std::string_view key, std::string_view text, JsonWriter& json) {
  json.BeginObject();
  json.Key(key);
  json.String(text);
  json.EndObject();
}

std::string_view PermissionWord(v1::Permission permission) {
  return permission == v1::PERMISSION_PRIVATE ? "private" : "public";
}

// Writes numbers, strings and other values that are not composite; false for any other value.
bool WriteScalar(const v1::Value& value, JsonWriter& json) {
  using V = v1::Value;
  switch (value.kind_case()) {
    case V::kBoolValue:
      return json.Bool(value.bool_value()), true;
    case V::kUcharValue:
      return json.UInt(value.uchar_value()), true;
    case V::kIntValue:
      return json.Int(value.int_value()), true;
    case V::kUintValue:
      return json.UInt(value.uint_value()), true;
    case V::kInt64Value:
      return json.Int(value.int64_value()), true;
    case V::kUint64Value:
      return json.UInt(value.uint64_value()), true;
    case V::kHalfValue:
      return json.Number(value.half_value()), true;
    case V::kFloatValue:
      return json.Number(value.float_value()), true;
    case V::kDoubleValue:
      return json.Number(value.double_value()), true;
    case V::kDurationValue:
      return json.Number(value.duration_value()), true;
    case V::kTimeCodeValue:
      return json.Number(value.time_code_value()), true;
    case V::kStringValue:
      return json.String(value.string_value()), true;
    case V::kTokenValue:
      return json.String(value.token_value()), true;
    case V::kPathValue:
      return json.String(value.path_value()), true;
    case V::kPathExpressionValue:
      return json.String(value.path_expression_value()), true;
    case V::kSpecifier:
      return json.String(SpecifierKeyword(value.specifier())), true;
    case V::kVariability:
      return json.String(VariabilityKeyword(value.variability())), true;
    case V::kPermission:
      return json.String(PermissionWord(value.permission())), true;
    default:
      return false;
  }
}

bool WriteArray(const v1::Value& value, JsonWriter& json) {
  using V = v1::Value;
  switch (value.kind_case()) {
    case V::kTupleValue:
      return WritePackedElement(value.tuple_value(), 0, json), true;
    case V::kArrayValue:
      return WritePackedArray(value.array_value(), json), true;
    case V::kStringArray:
      return WriteStrings(value.string_array().values(), json), true;
    case V::kTokenArray:
      return WriteStrings(value.token_array().values(), json), true;
    case V::kPathArray:
      return WriteStrings(value.path_array().values(), json), true;
    case V::kPathExpressionArray:
      return WriteStrings(value.path_expression_array().values(), json), true;
    case V::kAssetPathArray:
      json.BeginArray();
      for (const v1::AssetPath& p : value.asset_path_array().values()) WriteAssetPath(p, json);
      return json.EndArray(), true;
    case V::kValueArray:
      return WriteValues(value.value_array().values(), json), true;
    default:
      return false;
  }
}

}  // namespace

size_t PackedElementCount(const v1::PackedValues& packed) {
  const size_t bytes = ElementBytes(packed);
  return bytes == 0 ? 0 : packed.data().size() / bytes;
}

void WritePackedElement(const v1::PackedValues& packed, size_t index, JsonWriter& json) {
  if (index >= PackedElementCount(packed)) return json.Null();
  WriteElement(packed, packed.data().data() + index * ElementBytes(packed), json);
}

void WritePackedArray(const v1::PackedValues& packed, JsonWriter& json) {
  const size_t bytes = ElementBytes(packed);
  const std::string& data = packed.data();
  if (json.summarizes_arrays() && bytes != 0 && data.size() / bytes > kMostShown) {
    return WriteSummary(packed, data.size() / bytes, json);
  }
  if (bytes != 0 && IsScalar(packed.shape())) {
    return WriteRun(packed.component_type(), data.data(), data.size() / bytes, json);
  }
  json.BeginArray();
  for (size_t at = 0; bytes != 0 && at + bytes <= data.size(); at += bytes) {
    WriteElement(packed, data.data() + at, json);
  }
  json.EndArray();
}

void WriteValue(const v1::Value& value, JsonWriter& json) {
  using V = v1::Value;
  if (WriteScalar(value, json) || WriteArray(value, json)) return;
  switch (value.kind_case()) {
    case V::kBlock:
      return WriteMark("blocked", json);
    case V::kAnimationBlock:
      return WriteMark("animationBlocked", json);
    case V::kAssetPathValue:
      return WriteAssetPath(value.asset_path_value(), json);
    case V::kArrayEdit:
      return WriteText("edit", value.array_edit(), json);
    case V::kDictionaryValue:
      return WriteDictionary(value.dictionary_value(), json);
    case V::kListOp:
      return WriteListOp(value.list_op(), json);
    case V::kReference:
      return WriteArc(value.reference(), &value.reference().custom_data(), json);
    case V::kPayload:
      return WriteArc(value.payload(), nullptr, json);
    case V::kLayerOffset:
      return WriteLayerOffset(value.layer_offset(), json);
    case V::kRelocates:
      return WriteRelocates(value.relocates(), json);
    case V::kTimeSamples:
      return WriteTimeSamples(value.time_samples(), json);
    case V::kSpline:
      return WriteSpline(value.spline(), WriteValue, json);
    case V::kUnregisteredValue:
      return WriteValue(value.unregistered_value(), json);
    case V::kInvalidValue:
      return WriteText("invalid", value.invalid_value(), json);
    default:
      return json.Null();
  }
}

void WriteField(std::string_view key, const v1::Value& value, JsonWriter& json) {
  json.Key(key);
  WriteValue(value, json);
}

void WriteFields(const RepeatedPtrField<v1::Field>& fields, JsonWriter& json) {
  json.BeginObject();
  for (const v1::Field& field : fields) WriteField(field.name(), field.value(), json);
  json.EndObject();
}

std::string_view SpecifierKeyword(v1::Specifier specifier) {
  switch (specifier) {
    case v1::SPECIFIER_DEF:
      return "def";
    case v1::SPECIFIER_CLASS:
      return "class";
    default:
      return "over";
  }
}

std::string_view VariabilityKeyword(v1::Variability variability) {
  return variability == v1::VARIABILITY_UNIFORM ? "uniform" : "varying";
}

}  // namespace stagedoor
