#ifndef STAGEDOOR_CLIENT_CC_VALUE_BATCH_H_
#define STAGEDOOR_CLIENT_CC_VALUE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// Converts the error that a reply reports for one of its items.
absl::Status ItemError(const v1::ItemStatus& error);
// The same, with the item's path in front of the message.
absl::Status ItemErrorAt(std::string_view path, const v1::ItemStatus& error);

// Gives access to the values of a BatchGetValues reply, which it owns, by path and time.
// Thread-safe. An inconsistent reply, as a broken or malicious daemon may send it, has fewer
// values; nothing is read or allocated beyond the bytes of the reply.
class ValueBatch {
 public:
  explicit ValueBatch(v1::BatchGetValuesResponse response);

  size_t path_count() const { return response_.path_count(); }
  size_t time_count() const { return response_.time_count(); }
  const v1::BatchGetValuesResponse& response() const { return response_; }

  // The error of the path or of the item; OK if there is an answer, "no value" included.
  absl::Status status(size_t path, size_t time) const;
  bool has_value(size_t path, size_t time) const { return Find(path, time).column >= 0; }
  bool is_blocked(size_t path, size_t time) const;
  // USD's name of the value's type; empty if there is no value.
  std::string_view type_name(size_t path, size_t time) const;

  // The value, or nullopt if it is not of this kind.
  std::optional<double> GetDouble(size_t path, size_t time) const;  // any number
  std::optional<std::string_view> GetString(size_t path, size_t time) const;
  // The components of a tuple, or of all elements of an array; T is float, double, int32_t or
  // int64_t. Empty if the value is something else. Valid as long as this object.
  template <typename T>
  std::span<const T> GetNumbers(size_t path, size_t time) const {
    const std::string_view bytes = GetBytes(path, time, ComponentOf<T>());
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // The value, whatever its type. A blocked item gives a block, an item without a value an unset
  // Value.
  v1::Value GetValue(size_t path, size_t time) const;

 private:
  struct Slot {
    int column = -1;
    uint32_t index = 0;
  };

  template <typename T>
  static v1::ComponentType ComponentOf();
  Slot Find(size_t path, size_t time) const;
  std::string_view GetBytes(size_t path, size_t time, v1::ComponentType type) const;

  const v1::BatchGetValuesResponse response_;
  std::vector<size_t> sizes_;  // readable values of each column
};

template <>
inline v1::ComponentType ValueBatch::ComponentOf<float>() {
  return v1::COMPONENT_TYPE_FLOAT32;
}
template <>
inline v1::ComponentType ValueBatch::ComponentOf<double>() {
  return v1::COMPONENT_TYPE_FLOAT64;
}
template <>
inline v1::ComponentType ValueBatch::ComponentOf<int32_t>() {
  return v1::COMPONENT_TYPE_INT32;
}
template <>
inline v1::ComponentType ValueBatch::ComponentOf<int64_t>() {
  return v1::COMPONENT_TYPE_INT64;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_VALUE_BATCH_H_
