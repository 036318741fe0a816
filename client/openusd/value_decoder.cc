#include "value_decoder.h"

#include <string>
#include <utility>

#include "connections.h"
#include "library_value.h"
#include "value_types.h"

namespace stagedoor::openusd {
namespace {

Failure Unexpected(const sd_value& value, const PropertyEntry& attribute) {
  return {SD_INTERNAL, std::string("the daemon sent a value of the type '") + value.type_name +
                           "' that an attribute of the type " +
                           TfType::Find(*attribute.type).GetTypeName() + " cannot have"};
}

// The type of numbers as they were sent: that of the attribute, unless a layer has a value of
// another type than a schema declares.
const ValueType* TypeOf(const sd_value& value, const PropertyEntry& attribute) {
  const ValueType* const declared = attribute.numbers;
  if (declared != nullptr && declared->component == value.component &&
      declared->numbers == value.rows * value.columns) {
    return declared;
  }
  return FindValueType({value.component, value.rows, value.columns, /*is_quaternion=*/false});
}

Result<VtValue> DecodeNumbers(const sd_value& value, const PropertyEntry& attribute) {
  if (value.kind == SD_ARRAY && value.count == 0) {
    if (attribute.numbers != nullptr) return attribute.numbers->array(nullptr, 0);
  }
  const ValueType* const sent = TypeOf(value, attribute);
  if (sent == nullptr) return Unexpected(value, attribute);
  return value.kind == SD_ARRAY ? sent->array(value.data, value.count) : sent->element(value.data);
}

// Text `index` of an item, as one of the types that are texts.
struct TextReader {
  const sd_values* values;
  size_t path, time;

  std::string Text(size_t index) const {
    const char* const text = sd_values_text(values, path, time, index);
    return text == nullptr ? "" : text;
  }
  void Read(size_t index, std::string* out) const { *out = Text(index); }
  void Read(size_t index, TfToken* out) const { *out = TfToken(Text(index)); }
  void Read(size_t index, SdfPathExpression* out) const { *out = SdfPathExpression(Text(index)); }
  void Read(size_t index, SdfAssetPath* out) const {
    const char* const asset = sd_values_asset(values, path, time, index);
    *out = SdfAssetPath(asset == nullptr ? "" : asset);
  }
};

// Sets *out if `type` is T or an array of it.
template <typename T>
bool DecodeTextsAs(const TextReader& reader, size_t count, const std::type_info& type,
                   VtValue* out) {
  if (type == typeid(T)) {
    T text;
    reader.Read(0, &text);
    *out = LibraryValue(std::move(text));
    return true;
  }
  if (type != typeid(VtArray<T>)) return false;
  VtArray<T> array(count);
  for (size_t i = 0; i < count; ++i) reader.Read(i, &array[i]);
  *out = LibraryValue(std::move(array));
  return true;
}

Result<VtValue> DecodeTexts(const sd_value& value, const TextReader& reader,
                            const PropertyEntry& attribute) {
  const std::type_info& type = *attribute.type;
  VtValue out;
  if (DecodeTextsAs<TfToken>(reader, value.count, type, &out) ||
      DecodeTextsAs<std::string>(reader, value.count, type, &out) ||
      DecodeTextsAs<SdfAssetPath>(reader, value.count, type, &out) ||
      DecodeTextsAs<SdfPathExpression>(reader, value.count, type, &out)) {
    return out;
  }
  return VtValue(reader.Text(0));
}

Result<VtValue> DecodeNumber(sd_value value, const PropertyEntry& attribute) {
  value.rows = value.columns = 1;
  const ValueType* const sent = TypeOf(value, attribute);
  if (sent == nullptr || sent->number == nullptr) return Unexpected(value, attribute);
  return sent->number(value.number, value.integer);
}

}  // namespace

Result<VtValue> DecodeValue(const sd_values* values, size_t path, size_t time,
                            const PropertyEntry& attribute) {
  sd_value value;
  sd_error* error = nullptr;
  const sd_code code = sd_values_get(values, path, time, &value, &error);
  if (code != SD_OK) return TakeFailure(code, error);
  switch (value.kind) {
    case SD_NONE:
      return VtValue();
    case SD_BLOCKED:
      return VtValue(SdfValueBlock());
    case SD_NUMBER:
      return DecodeNumber(value, attribute);
    case SD_TUPLE:
    case SD_ARRAY:
      return DecodeNumbers(value, attribute);
    case SD_TEXT:
      return DecodeTexts(value, {values, path, time}, attribute);
    default:
      return Failure{SD_UNIMPLEMENTED,
                     std::string("values of the type '") + value.type_name + "' cannot be read"};
  }
}

}  // namespace stagedoor::openusd
