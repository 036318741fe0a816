#ifndef STAGEDOOR_CLIENT_CC_VALUE_BATCH_H_
#define STAGEDOOR_CLIENT_CC_VALUE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "client/cc/item_error.h"  // IWYU pragma: export
#include "client/cc/packed_numbers.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

class SharedArrays;

// Gives access to the values of a BatchGetValues reply, which it owns, by path and time, in
// constant time. Thread-safe. Large arrays may be in memory that is shared with the daemon, which
// can use it again when this object and its copies are destroyed. An inconsistent reply, as a
// broken or malicious daemon may send it, has fewer values; nothing is read or allocated beyond the
// bytes of the reply.
class ValueBatch {
 public:
  explicit ValueBatch(v1::BatchGetValuesResponse response);
  // `arrays` are those of the response that are in shared memory, or null. See Client::ReadValues.
  ValueBatch(v1::BatchGetValuesResponse response, std::shared_ptr<const SharedArrays> arrays);

  size_t path_count() const { return response_.path_count(); }
  size_t time_count() const { return response_.time_count(); }
  const v1::BatchGetValuesResponse& response() const { return response_; }

  // OK if the item has a value, none, or a blocked one; otherwise the error of the path or of the
  // item. UNIMPLEMENTED if its state is one that this client does not know, DATA_LOSS if the reply
  // is inconsistent.
  absl::Status status(size_t path, size_t time) const;
  // The state of the item, as the reply has it; UNSPECIFIED if it has none.
  v1::ItemState state(size_t path, size_t time) const;
  bool has_value(size_t path, size_t time) const { return Find(path, time).column >= 0; }
  bool is_blocked(size_t path, size_t time) const {
    return state(path, time) == v1::ITEM_STATE_BLOCKED;
  }
  // USD's name of the value's type; empty if there is no value.
  std::string_view type_name(size_t path, size_t time) const;

  // The value, or nullopt if it is not of this kind.
  std::optional<double> GetDouble(size_t path, size_t time) const;  // any number
  std::optional<std::string_view> GetString(size_t path, size_t time) const;
  // The components of a tuple, or of all elements of an array; T is the type of the components (see
  // IsComponent). Empty if the value is something else, and for an array that the client has
  // (ITEM_STATE_UNCHANGED). Valid as long as this object.
  template <typename T>
  std::span<const T> GetNumbers(size_t path, size_t time) const {
    const Components found = GetComponents(path, time);
    if (!IsComponent<T>(found.type)) return {};
    return {reinterpret_cast<const T*>(found.bytes.data()), found.bytes.size() / sizeof(T)};
  }
  // The message with the value in the reply, for arrays and all other types that are not in columns
  // of their own; else null. Valid as long as this object. The bytes of an array in shared memory
  // are not in it: GetNumbers has them.
  const v1::Value* FindValue(size_t path, size_t time) const;
  // A column of numbers, tuples or texts, and the place of a value in it: each of its lists that is
  // not empty has a value there. Null for other items, and for values that are messages. Valid as
  // long as this object.
  struct Place {
    const v1::ValueColumn* column = nullptr;
    int index = 0;
  };
  Place FindPlain(size_t path, size_t time) const;
  // The value, whatever its type. A blocked item gives a block, an item without a value an unset
  // Value, and one whose status() is not OK an invalid_value with its message.
  v1::Value GetValue(size_t path, size_t time) const;

 private:
  struct Slot {
    int column = -1;
    uint32_t index = 0;
  };
  struct Components {
    v1::ComponentType type = v1::COMPONENT_TYPE_UNSPECIFIED;
    std::string_view bytes;
  };

  void IndexColumns();
  void IndexErrors();
  void IndexShared();
  Slot Find(size_t path, size_t time) const;
  Slot FindInColumn(int column, size_t item) const;
  absl::Status ErrorOf(size_t path, size_t time) const;
  Components GetComponents(size_t path, size_t time) const;
  // The bytes of the array at a place, wherever they are.
  std::string_view ArrayBytes(Slot slot) const;

  v1::BatchGetValuesResponse response_;
  std::shared_ptr<const SharedArrays> arrays_;             // may be null
  std::unordered_map<uint64_t, std::string_view> shared_;  // the bytes of those, by KeyOf
  std::vector<size_t> sizes_;                              // readable values of each column
  std::vector<int> full_columns_;                          // those without a list of items
  std::vector<int> listed_columns_;                        // the others
  std::vector<Slot> slots_;  // of the items in listed columns, by item, as far as it goes
  // Indices of path_errors by path, and of item_errors by item.
  std::unordered_map<uint32_t, int> path_errors_;
  std::unordered_map<uint32_t, int> item_errors_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_VALUE_BATCH_H_
