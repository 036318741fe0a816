#include "server/converters/value_column_builder.h"

#include <algorithm>
#include <string>

#include "server/converters/value_converter.h"
#include "server/converters/wire_text.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {
namespace {

// Appends one vector, matrix or quaternion to a column's bytes.
void AppendTuple(const Value& value, v1::ValueColumn* column) {
  v1::Value single;
  FillValue(value, &single);
  v1::PackedValues* tuples = column->mutable_tuples();
  if (tuples->count() == 0) {
    *tuples = std::move(*single.mutable_tuple_value());
    return;
  }
  tuples->mutable_data()->append(single.tuple_value().data());
  tuples->set_count(tuples->count() + 1);
}

bool IsTuple(ValueType type) { return type >= ValueType::kVec2i && type <= ValueType::kMatrix4d; }

}  // namespace

v1::ValueColumn* ValueColumnBuilder::ColumnOf(const Key& key) {
  if (last_column_ != nullptr && key == last_key_) return last_column_;
  v1::ValueColumn*& column = columns_[key];
  if (column == nullptr) {
    column = response_->add_columns();
    column->set_type_name(WireText(key.type_name.text()));
  }
  last_key_ = key;
  return last_column_ = column;
}

void ValueColumnBuilder::Add(uint32_t item, Token type_name, const Value& value) {
  v1::ValueColumn* column = ColumnOf(Key{type_name, value.type(), value.is_array()});
  column->add_items(item);
  Append(value, column);
}

void ValueColumnBuilder::Append(const Value& value, v1::ValueColumn* column) {
  if (value.is_array()) {
    array_bytes_ += value.array()->size() * std::max<size_t>(PackedElementBytes(value.type()), 1);
    return FillValue(value, column->add_values());
  }
  switch (value.type()) {
    case ValueType::kDouble:
      return column->add_doubles(*value.Get<double>());
    case ValueType::kTimeCode:
      return column->add_doubles(value.Get<TimeCode>()->value);
    case ValueType::kDuration:
      return column->add_doubles(value.Get<Duration>()->value);
    case ValueType::kFloat:
      return column->add_floats(*value.Get<float>());
    case ValueType::kHalf:
      return column->add_floats(*value.Get<Half>());
    case ValueType::kInt:
      return column->add_ints(*value.Get<int32_t>());
    case ValueType::kUChar:
      return column->add_ints(*value.Get<uint8_t>());
    case ValueType::kUInt:
      return column->add_ints(*value.Get<uint32_t>());
    case ValueType::kInt64:
      return column->add_ints(*value.Get<int64_t>());
    case ValueType::kBool:
      return column->add_bools(*value.Get<bool>());
    case ValueType::kString:
      return column->add_strings(WireText(*value.Get<std::string>()));
    case ValueType::kToken:
      return column->add_strings(WireText(value.Get<Token>()->text()));
    default:
      if (IsTuple(value.type())) return AppendTuple(value, column);
      return FillValue(value, column->add_values());
  }
}

void ValueColumnBuilder::Finish(size_t item_count) {
  for (v1::ValueColumn& column : *response_->mutable_columns()) {
    if (static_cast<size_t>(column.items_size()) == item_count) column.clear_items();
  }
}

}  // namespace stagedoor
