#ifndef STAGEDOOR_CLIENT_SDK_VALUE_H_
#define STAGEDOOR_CLIENT_SDK_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "client/sdk/array.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::sdk {

// The meaning of T in Get<T>. Include value_getter.h to use Get<T>.
template <typename T>
struct ValueGetter;

// The value of an attribute at a time, or the absence of one. Copies are cheap and share what came
// from the daemon. Thread-safe.
class Value {
 public:
  enum class State {
    kValue,
    kNone,     // nothing is authored, and the schema has no fallback
    kBlocked,  // a layer blocks the value
  };

  Value() = default;
  // `message` must have whole arrays.
  Value(std::string type_name, std::shared_ptr<const v1::Value> message);
  // For an array whose bytes are in `array`, or null if they are nowhere.
  Value(std::string type_name, std::shared_ptr<const v1::Value> message,
        std::shared_ptr<const v1::PackedValues> array);

  State state() const { return state_; }
  bool has_value() const { return state_ == State::kValue; }
  // USD's name of the type, for example "point3f[]"; empty if there is no value.
  const std::string& type_name() const { return type_name_; }
  // The message; without the bytes of an array that came from the cache.
  const v1::Value& message() const;

  // The value as a T:
  //
  //   bool; integers, if the value is an integer that fits; float and double, for any number
  //   std::string                        string, token, path, path expression
  //   AssetPath                          asset
  //   Vec3f, Matrix4d, … (value_types.h) vectors, matrices, quaternions of this precision
  //   Array<E>, std::span<const E>       arrays of numbers, vectors, …: an Array<E> in either case,
  //                                      without a copy; bool[] is Array<uint8_t>
  //   std::vector<E>                     the same, copied; also of std::string and AssetPath
  //   std::optional<T>                   any of these, empty if there is no value
  //   Value                              whatever it is
  //
  // WRONG_TYPE if the value is something else; NO_VALUE or VALUE_BLOCKED if there is none.
  template <typename T>
  absl::StatusOr<typename ValueGetter<T>::Result> Get() const {
    return ValueGetter<T>::Get(*this);
  }

  // ------------------------------------------------------------------------- for value_getter.h
  // and stagedoor.h

  // The type of an element in memory.
  struct Element {
    v1::ComponentType component;
    uint32_t rows;
    uint32_t columns;
    size_t bytes;  // of one element
  };
  // Elements in memory, and what keeps them there.
  struct Bytes {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };
  // An array or a tuple of any type.
  struct Packed {
    Element element;
    bool is_array = false;
    std::string_view bytes;  // valid as long as the value or a copy
  };
  absl::StatusOr<Packed> GetPacked() const;
  absl::StatusOr<Bytes> GetArrayBytes(const Element& element) const;
  absl::StatusOr<Bytes> GetTupleBytes(const Element& element) const;
  absl::StatusOr<double> GetNumber() const;
  absl::StatusOr<int64_t> GetInteger() const;
  absl::StatusOr<uint64_t> GetUnsigned() const;
  absl::StatusOr<bool> GetBool() const;
  absl::StatusOr<std::string> GetText() const;
  absl::Status GetTexts(const v1::StringArray** texts) const;
  // Why there is no value: NO_VALUE or VALUE_BLOCKED.
  absl::Status Missing() const;
  // WRONG_TYPE: the value is not `wanted`.
  absl::Status WrongType(std::string_view wanted) const;

 private:
  State state_ = State::kNone;
  std::string type_name_;
  std::shared_ptr<const v1::Value> message_;       // null without a value
  std::shared_ptr<const v1::PackedValues> array_;  // set for arrays and tuples
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUE_H_
