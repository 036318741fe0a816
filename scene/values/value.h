#ifndef STAGEDOOR_SCENE_VALUES_VALUE_H_
#define STAGEDOOR_SCENE_VALUES_VALUE_H_

#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "scene/values/array.h"
#include "scene/values/ref_counted.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// Detects Array<T>.
template <typename T>
struct ArrayElement {
  static constexpr bool kIsArray = false;
};
template <typename T>
struct ArrayElement<Array<T>> {
  static constexpr bool kIsArray = true;
  using Type = T;
};

// A value of any type that a field of a layer can hold. Corresponds to OpenUSD's VtValue, but only
// has the types of value_type.h.
//
// Takes 32 bytes. Scalars of up to 24 bytes are stored inline, arrays as a view of a shared buffer,
// and everything else in a reference-counted box, so copying a Value never copies elements. Access
// is typed and needs no virtual calls:
//
//   if (const float* f = value.Get<float>()) …
//   if (const Array<Vec3f>* points = value.Get<Array<Vec3f>>()) …
//
// Thread-safe to read and to copy; immutable once shared.
class Value {
 public:
  Value() = default;
  // Holds any type of value_type.h, or Array<T> of an element type. For TimeSamples see
  // FromSamples.
  template <typename T, typename D = std::decay_t<T>,
            typename = std::enable_if_t<!std::is_same_v<D, Value> && !std::is_pointer_v<D>>>
  explicit Value(T&& held) {
    Set<D>(std::forward<T>(held));
  }
  static Value FromSamples(RefPtr<const TimeSamples> samples);
  // A value that could not be decoded. `reason` names the file and the position in it.
  static Value Invalid(std::string reason);

  Value(const Value& other) { CopyFrom(other); }
  Value(Value&& other) noexcept { MoveFrom(other); }
  Value& operator=(const Value& other) {
    if (this != &other) {
      Value copy(other);
      Destroy();
      MoveFrom(copy);
    }
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    if (this != &other) {
      Destroy();
      MoveFrom(other);
    }
    return *this;
  }
  ~Value() { Destroy(); }

  // The type; for arrays, the type of their elements.
  ValueType type() const { return type_; }
  bool is_array() const { return storage_ == Storage::kArray; }
  bool empty() const { return type_ == ValueType::kEmpty; }
  bool is_block() const { return type_ == ValueType::kValueBlock; }
  bool is_invalid() const { return type_ == ValueType::kInvalid; }
  // The reason of an invalid value; empty for valid ones.
  std::string_view invalid_reason() const;

  // The held T, or null if the value has another type.
  template <typename T>
  const T* Get() const {
    if constexpr (ArrayElement<T>::kIsArray) {
      using E = typename ArrayElement<T>::Type;
      const bool match = storage_ == Storage::kArray && type_ == ValueTypeOf<E>::kType;
      return match ? static_cast<const T*>(array()) : nullptr;
    } else {
      if (type_ != ValueTypeOf<T>::kType || storage_ == Storage::kArray) return nullptr;
      if constexpr (kInline<T>) {
        return std::launder(reinterpret_cast<const T*>(buffer_));
      } else {
        return &static_cast<const Box<T>*>(ref_)->held;
      }
    }
  }
  template <typename T>
  bool Is() const {
    return Get<T>() != nullptr;
  }
  // The held time samples, or null if the value has another type.
  const TimeSamples* samples() const;
  // The held array of any element type, or null if the value is not an array.
  const ArrayBase* array() const {
    return is_array() ? std::launder(reinterpret_cast<const ArrayBase*>(buffer_)) : nullptr;
  }

  // Whether types and contents are equal. NaN differs from itself.
  friend bool operator==(const Value& a, const Value& b);

 private:
  enum class Storage : uint8_t { kInline, kArray, kShared };
  static constexpr size_t kInlineBytes = 24;
  template <typename T>
  static constexpr bool kInline = std::is_trivially_copyable_v<T> && sizeof(T) <= kInlineBytes;
  template <typename T>
  struct Box : RefCounted {
    template <typename U>
    explicit Box(U&& u) : held(std::forward<U>(u)) {}
    T held;
  };

  template <typename D, typename T>
  void Set(T&& held) {
    if constexpr (ArrayElement<D>::kIsArray) {
      using E = typename ArrayElement<D>::Type;
      static_assert(ValueTypeOf<E>::kArrayElement);
      type_ = ValueTypeOf<E>::kType;
      storage_ = Storage::kArray;
      new (buffer_) D(std::forward<T>(held));
    } else {
      type_ = ValueTypeOf<D>::kType;
      if constexpr (kInline<D>) {
        storage_ = Storage::kInline;
        new (buffer_) D(std::forward<T>(held));
      } else {
        storage_ = Storage::kShared;
        ref_ = new Box<D>(std::forward<T>(held));
      }
    }
  }
  void CopyFrom(const Value& other);
  void MoveFrom(Value& other) noexcept;
  void Destroy() {
    if (storage_ != Storage::kInline) DestroyShared();
  }
  void DestroyShared();

  union {
    alignas(8) unsigned char buffer_[kInlineBytes] = {};
    const RefCounted* ref_;
  };
  ValueType type_ = ValueType::kEmpty;
  Storage storage_ = Storage::kInline;
};

static_assert(sizeof(Value) == 32);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_VALUE_H_
