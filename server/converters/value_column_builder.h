#ifndef STAGEDOOR_SERVER_CONVERTERS_VALUE_COLUMN_BUILDER_H_
#define STAGEDOOR_SERVER_CONVERTERS_VALUE_COLUMN_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "scene/paths/token.h"
#include "scene/values/value.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::v1 {
class BatchGetValuesResponse;
class ValueColumn;
}  // namespace stagedoor::v1

namespace stagedoor::server {

class ReplyBudget;

// Collects the values of a batch into columns of one type each, charging the budget for each value.
// Items must be added in ascending order. Not thread-safe.
class ValueColumnBuilder {
 public:
  ValueColumnBuilder(ReplyBudget& budget, v1::BatchGetValuesResponse* response)
      : budget_(budget), response_(response) {}

  // Adds a value that is neither empty nor a block. `type_name` is that of the attribute. Returns
  // VALUE, or UNCHANGED for an array that the client has.
  v1::ItemState Add(uint32_t item, Token type_name, const Value& value);

  // Clears the item numbers of the columns that have a value for all of `item_count` items.
  void Finish(size_t item_count);

 private:
  // The key has both type name and storage type, since a layer may have a value of another type
  // than the attribute.
  struct Key {
    Token type_name;
    ValueType type;
    bool is_array;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return key.type_name.hash() * 61 + static_cast<size_t>(key.type) * 2 + key.is_array;
    }
  };

  struct Column {
    v1::ValueColumn* message = nullptr;
    // Whether the name of the type does not tell of which type the values are, so that each states
    // its own.
    bool are_messages = false;
  };

  const Column& ColumnOf(Token type_name, const Value& value);
  v1::ItemState AppendMessage(const Value& value, v1::ValueColumn* column);
  void Append(const Value& value, v1::ValueColumn* column);

  ReplyBudget& budget_;
  v1::BatchGetValuesResponse* const response_;
  std::unordered_map<Key, Column, KeyHash> columns_;
  Key last_key_{Token(), ValueType::kEmpty, false};  // most batches have long runs of one type
  const Column* last_column_ = nullptr;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_VALUE_COLUMN_BUILDER_H_
