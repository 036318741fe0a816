#include "client/cc/value_batch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"
#include "client/cc/shared_arrays.h"

namespace stagedoor {
namespace {

// Returns how many values of a column can be read. A valid column has values of one kind only;
// otherwise its shortest list decides.
size_t ColumnSize(const v1::ValueColumn& c) {
  std::optional<size_t> size;
  const auto add = [&size](size_t values) {
    if (values != 0) size = std::min(values, size.value_or(values));
  };
  for (const int values : {c.doubles_size(), c.floats_size(), c.ints_size(), c.bools_size(),
                           c.strings_size(), c.values_size()}) {
    add(static_cast<size_t>(values));
  }
  // Without bytes there are no values, whatever the count is.
  if (c.has_tuples()) add(std::min<size_t>(c.tuples().count(), c.tuples().data().size()));
  return size.value_or(0);
}

size_t TupleBytes(const v1::PackedValues& tuples) {
  return tuples.count() == 0 ? 0 : tuples.data().size() / tuples.count();
}

uint64_t KeyOf(int column, uint32_t index) {
  return uint64_t{static_cast<uint32_t>(column)} << 32 | index;
}

}  // namespace

ValueBatch::ValueBatch(v1::BatchGetValuesResponse response)
    : ValueBatch(std::move(response), nullptr) {}

ValueBatch::ValueBatch(v1::BatchGetValuesResponse response,
                       std::shared_ptr<const SharedArrays> arrays)
    : response_(std::move(response)), arrays_(std::move(arrays)) {
  for (const v1::ValueColumn& column : response_.columns()) sizes_.push_back(ColumnSize(column));
  IndexColumns();
  IndexErrors();
  if (arrays_ != nullptr) IndexShared();
}

// They are in the order in which the response refers to them.
void ValueBatch::IndexShared() {
  auto next = arrays_->arrays().begin();
  const auto end = arrays_->arrays().end();
  for (int c = 0; c < response_.columns_size(); ++c) {
    const auto& values = response_.columns(c).values();
    for (int i = 0; i < values.size() && next != end; ++i) {
      if (!values[i].has_array_value() || !values[i].array_value().has_segment()) continue;
      shared_.emplace(KeyOf(c, static_cast<uint32_t>(i)), next->bytes);
      ++next;
    }
  }
}

std::string_view ValueBatch::ArrayBytes(Slot slot) const {
  const auto shared = shared_.find(KeyOf(slot.column, slot.index));
  if (shared != shared_.end()) return shared->second;
  return response_.columns(slot.column).values(static_cast<int>(slot.index)).array_value().data();
}

void ValueBatch::IndexColumns() {
  size_t listed = 0;
  size_t end = 0;
  for (int c = 0; c < response_.columns_size(); ++c) {
    const auto& items = response_.columns(c).items();
    (items.empty() ? full_columns_ : listed_columns_).push_back(c);
    listed += static_cast<size_t>(items.size());
    for (const uint32_t item : items) end = std::max<size_t>(end, size_t{item} + 1);
  }
  // In a valid reply, each item is in a column or has a state. The items of an invalid one that are
  // behind are searched for, so that the index is not larger than the reply.
  end = std::min(end, 2 * (listed + static_cast<size_t>(response_.states_size())));
  slots_.resize(end);
  for (const int c : listed_columns_) {
    const auto& items = response_.columns(c).items();
    const size_t readable = std::min(sizes_[c], static_cast<size_t>(items.size()));
    for (size_t i = 0; i < readable; ++i) {
      const uint32_t item = items[static_cast<int>(i)];
      if (item < end && slots_[item].column < 0) slots_[item] = {c, static_cast<uint32_t>(i)};
    }
  }
}

void ValueBatch::IndexErrors() {
  for (int i = 0; i < response_.path_errors_size(); ++i) {
    path_errors_.emplace(response_.path_errors(i).item(), i);
  }
  for (int i = 0; i < response_.item_errors_size(); ++i) {
    item_errors_.emplace(response_.item_errors(i).item(), i);
  }
}

v1::ItemState ValueBatch::state(size_t path, size_t time) const {
  if (path >= path_count() || time >= time_count()) return v1::ITEM_STATE_UNSPECIFIED;
  if (response_.states().empty()) return v1::ITEM_STATE_VALUE;
  const size_t item = path * time_count() + time;
  if (item >= static_cast<size_t>(response_.states_size())) return v1::ITEM_STATE_UNSPECIFIED;
  return response_.states(static_cast<int>(item));
}

ValueBatch::Slot ValueBatch::Find(size_t path, size_t time) const {
  const v1::ItemState state = this->state(path, time);
  if (state != v1::ITEM_STATE_VALUE && state != v1::ITEM_STATE_UNCHANGED) return {};
  const size_t item = path * time_count() + time;
  for (const int c : full_columns_) {
    if (item < sizes_[c]) return {c, static_cast<uint32_t>(item)};
  }
  if (item < slots_.size()) return slots_[item];
  for (const int c : listed_columns_) {
    if (const Slot slot = FindInColumn(c, item); slot.column >= 0) return slot;
  }
  return {};
}

ValueBatch::Slot ValueBatch::FindInColumn(int column, size_t item) const {
  const auto& items = response_.columns(column).items();
  const auto at = std::lower_bound(items.begin(), items.end(), item);
  if (at == items.end() || *at != item) return {};
  const auto index = static_cast<size_t>(at - items.begin());
  return index < sizes_[column] ? Slot{column, static_cast<uint32_t>(index)} : Slot{};
}

absl::Status ValueBatch::status(size_t path, size_t time) const {
  const v1::ItemState state = this->state(path, time);
  switch (state) {
    case v1::ITEM_STATE_NONE:
    case v1::ITEM_STATE_BLOCKED:
      return absl::OkStatus();
    case v1::ITEM_STATE_VALUE:
    case v1::ITEM_STATE_UNCHANGED:
      if (Find(path, time).column >= 0) return absl::OkStatus();
      return DataLossError("the reply lacks the value of item ", path * time_count() + time);
    case v1::ITEM_STATE_ERROR:
      return ErrorOf(path, time);
    default:
      return UnknownStateError(state);
  }
}

absl::Status ValueBatch::ErrorOf(size_t path, size_t time) const {
  const size_t item = path * time_count() + time;
  if (const auto at = path_errors_.find(static_cast<uint32_t>(path)); at != path_errors_.end()) {
    return ItemError(response_.path_errors(at->second));
  }
  const auto at =
      item <= UINT32_MAX ? item_errors_.find(static_cast<uint32_t>(item)) : item_errors_.end();
  if (at != item_errors_.end()) return ItemError(response_.item_errors(at->second));
  return DataLossError("the reply lacks the error of item ", item);
}

std::string_view ValueBatch::type_name(size_t path, size_t time) const {
  const Slot slot = Find(path, time);
  return slot.column < 0 ? std::string_view() : response_.columns(slot.column).type_name();
}

std::optional<double> ValueBatch::GetDouble(size_t path, size_t time) const {
  const Slot slot = Find(path, time);
  if (slot.column < 0) return std::nullopt;
  const v1::ValueColumn& column = response_.columns(slot.column);
  const int i = static_cast<int>(slot.index);
  if (column.doubles_size() != 0) return column.doubles(i);
  if (column.floats_size() != 0) return column.floats(i);
  if (column.ints_size() != 0) return static_cast<double>(column.ints(i));
  if (column.bools_size() != 0) return column.bools(i) ? 1 : 0;
  if (column.values_size() != 0 && column.values(i).has_uint64_value()) {
    return static_cast<double>(column.values(i).uint64_value());
  }
  return std::nullopt;
}

std::optional<std::string_view> ValueBatch::GetString(size_t path, size_t time) const {
  const Slot slot = Find(path, time);
  if (slot.column < 0 || response_.columns(slot.column).strings_size() == 0) return std::nullopt;
  return response_.columns(slot.column).strings(static_cast<int>(slot.index));
}

const v1::Value* ValueBatch::FindValue(size_t path, size_t time) const {
  const Slot slot = Find(path, time);
  if (slot.column < 0) return nullptr;
  const v1::ValueColumn& column = response_.columns(slot.column);
  return column.values_size() == 0 ? nullptr : &column.values(static_cast<int>(slot.index));
}

ValueBatch::Place ValueBatch::FindPlain(size_t path, size_t time) const {
  const Slot slot = Find(path, time);
  if (slot.column < 0 || response_.columns(slot.column).values_size() != 0) return {};
  return {&response_.columns(slot.column), static_cast<int>(slot.index)};
}

ValueBatch::Components ValueBatch::GetComponents(size_t path, size_t time) const {
  const Slot slot = Find(path, time);
  if (slot.column < 0) return {};
  const v1::ValueColumn& column = response_.columns(slot.column);
  if (column.has_tuples()) {
    const size_t bytes = TupleBytes(column.tuples());
    return {column.tuples().component_type(),
            std::string_view(column.tuples().data()).substr(slot.index * bytes, bytes)};
  }
  if (column.values_size() == 0) return {};
  const v1::Value& value = column.values(static_cast<int>(slot.index));
  if (!value.has_array_value()) return {};
  return {value.array_value().component_type(), ArrayBytes(slot)};
}

v1::Value ValueBatch::GetValue(size_t path, size_t time) const {
  v1::Value value;
  const Slot slot = Find(path, time);
  if (slot.column < 0) {
    if (const absl::Status failure = status(path, time); !failure.ok()) {
      value.set_invalid_value(std::string(Message(failure)));
    } else if (is_blocked(path, time)) {
      value.mutable_block();
    }
    return value;
  }
  const v1::ValueColumn& column = response_.columns(slot.column);
  const std::string& type = column.type_name();
  const int i = static_cast<int>(slot.index);
  if (column.values_size() != 0) {
    value = column.values(i);
    if (value.has_array_value() && value.array_value().has_segment()) {
      value.mutable_array_value()->set_data(std::string(ArrayBytes(slot)));
    }
    return value;
  }
  if (column.doubles_size() != 0) {
    if (type == "timecode") {
      value.set_time_code_value(column.doubles(i));
    } else if (type == "duration") {
      value.set_duration_value(column.doubles(i));
    } else {
      value.set_double_value(column.doubles(i));
    }
  } else if (column.floats_size() != 0) {
    type == "half" ? value.set_half_value(column.floats(i))
                   : value.set_float_value(column.floats(i));
  } else if (column.ints_size() != 0) {
    value.set_int64_value(column.ints(i));
  } else if (column.bools_size() != 0) {
    value.set_bool_value(column.bools(i));
  } else if (column.strings_size() != 0) {
    type == "token" ? value.set_token_value(column.strings(i))
                    : value.set_string_value(column.strings(i));
  } else if (column.has_tuples()) {
    const size_t bytes = TupleBytes(column.tuples());
    v1::PackedValues* tuple = value.mutable_tuple_value();
    tuple->set_component_type(column.tuples().component_type());
    tuple->set_shape(column.tuples().shape());
    tuple->set_rows(column.tuples().rows());
    tuple->set_columns(column.tuples().columns());
    tuple->set_count(1);
    tuple->set_data(column.tuples().data().substr(slot.index * bytes, bytes));
  }
  return value;
}

}  // namespace stagedoor
