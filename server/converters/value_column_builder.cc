#include "server/converters/value_column_builder.h"

#include <string>

#include "scene/values/time_code_value.h"
#include "scene/values/value_type_name.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

// Bytes of an item in addition to its value: its number, and the growth of the repeated field.
constexpr size_t kItemBytes = 2 * sizeof(uint32_t);

}  // namespace

const ValueColumnBuilder::Column& ValueColumnBuilder::ColumnOf(Token type_name,
                                                               const Value& value) {
  const Key key{type_name, value.type(), value.is_array()};
  if (last_column_ != nullptr && key == last_key_) return *last_column_;
  Column& column = columns_[key];
  if (column.message == nullptr) {
    column.message = budget_.Add(response_->mutable_columns());
    column.message->set_type_name(budget_.Text(key.type_name.text()));
    column.are_messages =
        key.is_array || (!IsTuple(value) && ValueTypeNameOf(key.type, false) != type_name);
  }
  last_key_ = key;
  last_column_ = &column;
  return column;
}

v1::ItemState ValueColumnBuilder::Add(uint32_t item, Token type_name, const Value& value) {
  const Column& column = ColumnOf(type_name, value);
  if (!budget_.Charge(kItemBytes + sizeof(double))) return v1::ITEM_STATE_VALUE;
  column.message->add_items(item);
  if (column.are_messages) return AppendMessage(value, column.message);
  Append(value, column.message);
  return v1::ITEM_STATE_VALUE;
}

v1::ItemState ValueColumnBuilder::AppendMessage(const Value& value, v1::ValueColumn* column) {
  v1::Value* out = budget_.Add(column->mutable_values());
  FillValue(value, budget_, out);
  return FilledState(*out);
}

void ValueColumnBuilder::Append(const Value& value, v1::ValueColumn* column) {
  switch (value.type()) {
    case ValueType::kDouble:
      return column->add_doubles(*value.Get<double>());
    case ValueType::kTimeCode:
      return column->add_doubles(value.Get<TimeCodeValue>()->value);
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
      return budget_.AddText(*value.Get<std::string>(), column->mutable_strings());
    case ValueType::kToken:
      return budget_.AddText(value.Get<Token>()->text(), column->mutable_strings());
    default:
      if (IsTuple(value)) return AppendTuple(value, budget_, column->mutable_tuples());
      return FillValue(value, budget_, budget_.Add(column->mutable_values()));
  }
}

void ValueColumnBuilder::Finish(size_t item_count) {
  for (v1::ValueColumn& column : *response_->mutable_columns()) {
    if (static_cast<size_t>(column.items_size()) == item_count) column.clear_items();
  }
}

}  // namespace stagedoor::server
