#ifndef STAGEDOOR_SERVER_CONVERTERS_VALUE_COLUMN_BUILDER_H_
#define STAGEDOOR_SERVER_CONVERTERS_VALUE_COLUMN_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "scene/paths/token.h"
#include "scene/values/value.h"

namespace stagedoor {

class ReplyBudget;

namespace v1 {
class BatchGetValuesResponse;
class ValueColumn;
}  // namespace v1

// Gathers the values of a batch into columns of one type each, charged as they come. Items come in
// ascending order. Not thread-safe.
class ValueColumnBuilder {
 public:
  ValueColumnBuilder(ReplyBudget& budget, v1::BatchGetValuesResponse* response)
      : budget_(budget), response_(response) {}

  // Adds a value that is neither empty nor a block. `type_name` is the attribute's.
  void Add(uint32_t item, Token type_name, const Value& value);

  // Columns that hold all of `item_count` items lose their item numbers.
  void Finish(size_t item_count);

 private:
  // A type name does not always tell how a value is stored (a wrong type in a layer), so both
  // count.
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

  v1::ValueColumn* ColumnOf(const Key& key);
  void Append(const Value& value, v1::ValueColumn* column);

  ReplyBudget& budget_;
  v1::BatchGetValuesResponse* const response_;
  std::unordered_map<Key, v1::ValueColumn*, KeyHash> columns_;
  Key last_key_{Token(), ValueType::kEmpty, false};  // most batches hold long runs of one type
  v1::ValueColumn* last_column_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_VALUE_COLUMN_BUILDER_H_
