#include "client/sdk/c_columns.h"

#include <cstdint>
#include <string>

#include "client/sdk/packed_elements.h"

namespace stagedoor::sdk {
namespace {

void FillNumber(v1::Value::KindCase kind, double number, int64_t integer, sd_value* out) {
  out->kind = SD_NUMBER;
  out->component = ComponentOf(out->type_name, kind);
  out->number = number;
  out->integer = integer;
}

bool FillTuple(const v1::PackedValues& tuples, size_t index, sd_value* out) {
  const size_t bytes = ElementBytes(tuples);
  const std::string& data = tuples.data();
  if (bytes == 0 || data.size() % bytes != 0 || data.size() / bytes != tuples.count()) return false;
  out->kind = SD_TUPLE;
  out->component = static_cast<sd_component>(tuples.component_type());
  out->rows = tuples.rows();
  out->columns = tuples.columns();
  out->count = 1;
  out->data = data.data() + index * bytes;
  return true;
}

}  // namespace

sd_component ComponentOf(std::string_view type_name, v1::Value::KindCase kind) {
  using Kind = v1::Value;
  constexpr struct {
    std::string_view name;
    v1::Value::KindCase kind;
    sd_component component;
  } kTypes[] = {
      {"bool", Kind::kBoolValue, SD_COMPONENT_BOOL},
      {"uchar", Kind::kUcharValue, SD_COMPONENT_UINT8},
      {"int", Kind::kIntValue, SD_COMPONENT_INT32},
      {"uint", Kind::kUintValue, SD_COMPONENT_UINT32},
      {"int64", Kind::kInt64Value, SD_COMPONENT_INT64},
      {"uint64", Kind::kUint64Value, SD_COMPONENT_UINT64},
      {"half", Kind::kHalfValue, SD_COMPONENT_FLOAT16},
      {"float", Kind::kFloatValue, SD_COMPONENT_FLOAT32},
      {"timecode", Kind::kTimeCodeValue, SD_COMPONENT_TIME_CODE},
      {"duration", Kind::kDurationValue, SD_COMPONENT_DURATION},
  };
  const bool is_wide = kind == Kind::kInt64Value || kind == Kind::kDoubleValue;
  for (const auto& type : kTypes) {
    if (is_wide ? type.name == type_name : type.kind == kind) return type.component;
  }
  return kind == Kind::kInt64Value ? SD_COMPONENT_INT64 : SD_COMPONENT_FLOAT64;
}

bool FillFromColumn(const ValueBatch::Place& place, sd_value* out) {
  const v1::ValueColumn& column = *place.column;
  const int i = place.index;
  *out = {};
  out->type_name = column.type_name().c_str();
  if (column.doubles_size() != 0) {
    FillNumber(v1::Value::kDoubleValue, column.doubles(i), 0, out);
  } else if (column.floats_size() != 0) {
    const bool is_half = column.type_name() == "half";
    FillNumber(is_half ? v1::Value::kHalfValue : v1::Value::kFloatValue, column.floats(i), 0, out);
  } else if (column.ints_size() != 0) {
    FillNumber(v1::Value::kInt64Value, static_cast<double>(column.ints(i)), column.ints(i), out);
  } else if (column.bools_size() != 0) {
    FillNumber(v1::Value::kBoolValue, column.bools(i) ? 1 : 0, column.bools(i) ? 1 : 0, out);
  } else if (column.strings_size() != 0) {
    out->kind = SD_TEXT;
    out->count = 1;
  } else {
    return FillTuple(column.tuples(), static_cast<size_t>(i), out);
  }
  return true;
}

}  // namespace stagedoor::sdk
