#include "metadata_decoder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <typeinfo>

#include "message_fields.h"
#include "value_types.h"
#include "wire.h"

namespace stagedoor::openusd {
namespace {

// Values in values, such as dictionaries in dictionaries. The daemon sends fewer levels.
constexpr int kMaxDepth = 64;

VtValue Decode(std::string_view bytes, const std::type_info* type, int depth);

SdfAssetPath DecodeAsset(std::string_view bytes) {
  std::string_view authored, evaluated, resolved;
  for (WireReader asset(bytes); asset.Next();) {
    if (asset.field() == wire::AssetPath::kAuthored) authored = asset.Bytes();
    if (asset.field() == wire::AssetPath::kEvaluated) evaluated = asset.Bytes();
    if (asset.field() == wire::AssetPath::kResolved) resolved = asset.Bytes();
  }
  return FlattenedAssetPath(authored, evaluated, resolved);
}

// An array of what `convert` makes of the elements of a message with a repeated field 1.
template <typename T, typename Convert>
VtValue DecodeArray(std::string_view bytes, Convert convert) {
  VtArray<T> array;
  for (WireReader list(bytes); list.Next();) array.push_back(convert(list.Bytes()));
  return VtValue::Take(array);
}

struct Packed {
  ElementLayout layout;
  uint64_t count = 0;
  std::string_view data;
};

Packed DecodePacked(std::string_view bytes) {
  Packed packed;
  for (WireReader values(bytes); values.Next();) {
    using P = wire::PackedValues;
    const auto number = static_cast<uint32_t>(values.Number());
    if (values.field() == P::kComponentType) packed.layout.component = number;
    if (values.field() == P::kShape) {
      packed.layout.is_quaternion = number == wire::ELEMENT_SHAPE_QUATERNION;
    }
    if (values.field() == P::kRows) packed.layout.rows = number;
    if (values.field() == P::kColumns) packed.layout.columns = number;
    if (values.field() == P::kCount) packed.count = values.Number();
    if (values.field() == P::kData) packed.data = values.Bytes();
  }
  return packed;
}

VtValue DecodeNumbers(std::string_view bytes, bool is_array, const std::type_info* wanted) {
  const Packed packed = DecodePacked(bytes);
  const ValueType* type = FindValueType(packed.layout);
  const ValueType* declared = wanted == nullptr ? nullptr : FindValueType(*wanted);
  if (declared != nullptr && type != nullptr && declared->element_bytes == type->element_bytes) {
    type = declared;
  }
  if (type == nullptr) return VtValue();
  if (packed.count != packed.data.size() / type->element_bytes) return VtValue();
  if (is_array) return type->array(packed.data.data(), packed.count);
  return packed.count == 1 ? type->element(packed.data.data()) : VtValue();
}

VtValue DecodeDictionary(std::string_view bytes, int depth) {
  VtDictionary dictionary;
  for (WireReader entries(bytes); entries.Next();) {
    if (entries.field() != wire::Dictionary::kEntries) continue;
    std::string key;
    std::string_view value;
    for (WireReader entry = entries.Message(); entry.Next();) {
      if (entry.field() == wire::DictionaryEntry::kKey) key = entry.Text();
      if (entry.field() == wire::DictionaryEntry::kValue) value = entry.Bytes();
    }
    dictionary[key] = Decode(value, nullptr, depth);
  }
  return VtValue(dictionary);
}

// The kind of a serialized Value: the number of the field that is set.
uint32_t KindOf(std::string_view value) {
  WireReader reader(value);
  return reader.Next() ? reader.field() : 0;
}

// Makes a list edit of the items that `convert` makes of VtValues.
template <typename ListOp, typename Convert>
VtValue DecodeListOpOf(std::string_view bytes, int depth, Convert convert) {
  using L = wire::ListOp;
  typename ListOp::ItemVector explicit_items, prepended, appended, deleted, added, ordered;
  bool is_explicit = false;
  for (WireReader list(bytes); list.Next();) {
    if (list.field() == L::kIsExplicit) {
      is_explicit = list.Bool();
      continue;
    }
    const auto item = convert(Decode(list.Bytes(), nullptr, depth));
    if (list.field() == L::kExplicitItems) explicit_items.push_back(item);
    if (list.field() == L::kPrependedItems) prepended.push_back(item);
    if (list.field() == L::kAppendedItems) appended.push_back(item);
    if (list.field() == L::kDeletedItems) deleted.push_back(item);
    if (list.field() == L::kAddedItems) added.push_back(item);
    if (list.field() == L::kOrderedItems) ordered.push_back(item);
  }
  ListOp op;
  if (is_explicit) {
    op.SetExplicitItems(explicit_items);
    return VtValue::Take(op);
  }
  op.SetPrependedItems(prepended);
  op.SetAppendedItems(appended);
  op.SetDeletedItems(deleted);
  op.SetAddedItems(added);
  op.SetOrderedItems(ordered);
  return VtValue::Take(op);
}

template <typename T>
T As(const VtValue& value) {
  const VtValue cast = VtValue::Cast<T>(value);
  return cast.IsHolding<T>() ? cast.UncheckedGet<T>() : T();
}

// The kind of the first item of a list edit; 0 if there is none.
uint32_t ItemKind(std::string_view bytes) {
  for (WireReader list(bytes); list.Next();) {
    if (list.field() != wire::ListOp::kIsExplicit) return KindOf(list.Bytes());
  }
  return 0;
}

VtValue DecodeListOp(std::string_view bytes, const std::type_info* type, int depth) {
  using V = wire::Value;
  const uint32_t kind = ItemKind(bytes);
  const auto is = [&](const std::type_info& candidate, uint32_t item) {
    return type != nullptr && *type != typeid(void) ? *type == candidate : kind == item;
  };
  if (is(typeid(SdfStringListOp), V::kStringValue)) {
    return DecodeListOpOf<SdfStringListOp>(bytes, depth, As<std::string>);
  }
  if (is(typeid(SdfIntListOp), V::kIntValue)) {
    return DecodeListOpOf<SdfIntListOp>(bytes, depth, As<int>);
  }
  if (is(typeid(SdfUIntListOp), V::kUintValue)) {
    return DecodeListOpOf<SdfUIntListOp>(bytes, depth, As<unsigned int>);
  }
  if (is(typeid(SdfInt64ListOp), V::kInt64Value)) {
    return DecodeListOpOf<SdfInt64ListOp>(bytes, depth, As<int64_t>);
  }
  if (is(typeid(SdfUInt64ListOp), V::kUint64Value)) {
    return DecodeListOpOf<SdfUInt64ListOp>(bytes, depth, As<uint64_t>);
  }
  if (is(typeid(SdfPathListOp), V::kPathValue)) {
    return DecodeListOpOf<SdfPathListOp>(bytes, depth, As<SdfPath>);
  }
  if (is(typeid(SdfUnregisteredValueListOp), V::kUnregisteredValue)) {
    return DecodeListOpOf<SdfUnregisteredValueListOp>(bytes, depth, As<SdfUnregisteredValue>);
  }
  return DecodeListOpOf<SdfTokenListOp>(bytes, depth, As<TfToken>);
}

VtValue DecodeUnregistered(std::string_view bytes, int depth) {
  const VtValue value = Decode(bytes, nullptr, depth);
  if (value.IsHolding<std::string>()) {
    return VtValue(SdfUnregisteredValue(value.UncheckedGet<std::string>()));
  }
  if (value.IsHolding<VtDictionary>()) {
    return VtValue(SdfUnregisteredValue(value.UncheckedGet<VtDictionary>()));
  }
  if (value.IsHolding<SdfUnregisteredValueListOp>()) {
    return VtValue(SdfUnregisteredValue(value.UncheckedGet<SdfUnregisteredValueListOp>()));
  }
  return VtValue();
}

VtValue DecodeScalar(const WireReader& value) {
  using V = wire::Value;
  switch (value.field()) {
    case V::kBoolValue:
      return VtValue(value.Bool());
    case V::kUcharValue:
      return VtValue(static_cast<unsigned char>(value.Number()));
    case V::kIntValue:
      return VtValue(static_cast<int>(value.Signed()));
    case V::kUintValue:
      return VtValue(static_cast<unsigned int>(value.Number()));
    case V::kInt64Value:
      return VtValue(value.Signed());
    case V::kUint64Value:
      return VtValue(value.Number());
    case V::kHalfValue:
      return VtValue(GfHalf(value.Float()));
    case V::kFloatValue:
      return VtValue(value.Float());
    case V::kDoubleValue:
    case V::kDurationValue:
      return VtValue(value.Double());
    case V::kTimeCodeValue:
      return VtValue(SdfTimeCode(value.Double()));
    case V::kSpecifier:
      return VtValue(static_cast<SdfSpecifier>(value.Number() - wire::SPECIFIER_DEF));
    case V::kVariability:
      return VtValue(value.Number() == wire::VARIABILITY_UNIFORM ? SdfVariabilityUniform
                                                                 : SdfVariabilityVarying);
    case V::kPermission:
      return VtValue(value.Number() == wire::PERMISSION_PRIVATE ? SdfPermissionPrivate
                                                                : SdfPermissionPublic);
    default:
      return VtValue();
  }
}

VtValue DecodeText(const WireReader& value) {
  using V = wire::Value;
  const auto token = [](std::string_view text) { return TfToken(std::string(text)); };
  const auto string = [](std::string_view text) { return std::string(text); };
  const auto expression = [](std::string_view text) {
    return SdfPathExpression(std::string(text));
  };
  switch (value.field()) {
    case V::kStringValue:
      return VtValue(value.Text());
    case V::kTokenValue:
      return VtValue(TfToken(value.Text()));
    case V::kAssetPathValue:
      return VtValue(DecodeAsset(value.Bytes()));
    case V::kPathValue:
      return VtValue(SdfPath(value.Text()));
    case V::kPathExpressionValue:
      return VtValue(SdfPathExpression(value.Text()));
    case V::kStringArray:
      return DecodeArray<std::string>(value.Bytes(), string);
    case V::kTokenArray:
      return DecodeArray<TfToken>(value.Bytes(), token);
    case V::kAssetPathArray:
      return DecodeArray<SdfAssetPath>(value.Bytes(), DecodeAsset);
    case V::kPathExpressionArray:
      return DecodeArray<SdfPathExpression>(value.Bytes(), expression);
    default:
      return VtValue();
  }
}

VtValue DecodeValueArray(std::string_view bytes, int depth) {
  std::vector<VtValue> values;
  for (WireReader list(bytes); list.Next();) values.push_back(Decode(list.Bytes(), nullptr, depth));
  return VtValue::Take(values);
}

VtValue DecodeKind(const WireReader& value, const std::type_info* type, int depth) {
  using V = wire::Value;
  switch (value.field()) {
    case V::kBlock:
      return VtValue(SdfValueBlock());
    case V::kTupleValue:
      return DecodeNumbers(value.Bytes(), /*is_array=*/false, type);
    case V::kArrayValue:
      return DecodeNumbers(value.Bytes(), /*is_array=*/true, type);
    case V::kDictionaryValue:
      return DecodeDictionary(value.Bytes(), depth);
    case V::kListOp:
      return DecodeListOp(value.Bytes(), type, depth);
    case V::kValueArray:
      return DecodeValueArray(value.Bytes(), depth);
    case V::kUnregisteredValue:
      return DecodeUnregistered(value.Bytes(), depth);
    default: {
      VtValue scalar = DecodeScalar(value);
      return scalar.IsEmpty() ? DecodeText(value) : scalar;
    }
  }
}

// Converts a value to the type that Sdf declares for a field, if it can be.
VtValue Convert(const VtValue& value, const std::type_info& type) {
  if (value.GetTypeid() == type) return value;
  if (type == typeid(TfEnum) && value.IsHolding<TfToken>()) {
    return VtValue(SdfGetUnitFromName(value.UncheckedGet<TfToken>().GetString()));  // displayUnit
  }
  if (type == typeid(TfTokenVector) && value.IsHolding<VtArray<TfToken>>()) {
    const auto& tokens = value.UncheckedGet<VtArray<TfToken>>();  // primOrder, propertyOrder
    return VtValue(TfTokenVector(tokens.begin(), tokens.end()));
  }
  const VtValue cast = VtValue::CastToTypeid(value, type);
  return cast.IsEmpty() ? value : cast;
}

VtValue Decode(std::string_view bytes, const std::type_info* type, int depth) {
  WireReader value(bytes);
  if (depth > kMaxDepth || !value.Next()) return VtValue();
  VtValue decoded = DecodeKind(value, type, depth + 1);
  return type == nullptr || decoded.IsEmpty() ? decoded : Convert(decoded, *type);
}

}  // namespace

const VtValue* FindField(const Fields& fields, const TfToken& name) {
  for (const auto& [known, value] : fields) {
    if (known == name) return &value;
  }
  return nullptr;
}

void AddField(const TfToken& name, VtValue value, Fields* fields) {
  if (value.IsEmpty() || FindField(*fields, name) != nullptr) return;
  fields->emplace_back(name, std::move(value));
}

void RemoveField(const TfToken& name, Fields* fields) {
  const auto is_named = [&](const auto& field) { return field.first == name; };
  fields->erase(std::remove_if(fields->begin(), fields->end(), is_named), fields->end());
}

VtValue DecodeMetadata(const TfToken& name, std::string_view value) {
  const auto* const definition = SdfSchema::GetInstance().GetFieldDefinition(name);
  const std::type_info* type = nullptr;
  if (definition != nullptr) type = &definition->GetFallbackValue().GetTypeid();
  return Decode(value, type, /*depth=*/0);
}

void AddMetadata(std::string_view field, Fields* fields) {
  std::string name;
  std::string_view value;
  for (WireReader reader(field); reader.Next();) {
    if (reader.field() == wire::Field::kName) name = reader.Text();
    if (reader.field() == wire::Field::kValue) value = reader.Bytes();
  }
  const TfToken token(name);
  AddField(token, DecodeMetadata(token, value), fields);
}

SdfAssetPath FlattenedAssetPath(std::string_view authored, std::string_view evaluated,
                                std::string_view resolved) {
  const std::string_view path = !resolved.empty()    ? resolved
                                : !evaluated.empty() ? evaluated
                                                     : authored;
  return SdfAssetPath(std::string(path));
}

std::vector<double> DecodeTimes(std::string_view packed) {
  const Packed values = DecodePacked(packed);
  std::vector<double> times(values.data.size() / sizeof(double));
  std::memcpy(times.data(), values.data.data(), times.size() * sizeof(double));
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace stagedoor::openusd
