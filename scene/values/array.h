#ifndef STAGEDOOR_SCENE_VALUES_ARRAY_H_
#define STAGEDOOR_SCENE_VALUES_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "scene/values/array_owner.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// The part of an array that does not depend on the element type; Value stores this.
class ArrayBase {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const void* raw_data() const { return data_; }
  // Keeps the elements alive; null for an empty array that was default-constructed.
  const RefPtr<const RefCounted>& owner() const { return owner_; }

 protected:
  ArrayBase() = default;
  ArrayBase(const void* data, size_t size, RefPtr<const RefCounted> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

 private:
  const void* data_ = nullptr;
  size_t size_ = 0;
  RefPtr<const RefCounted> owner_;
};

// Array<T>: an immutable array whose copies share one buffer. Corresponds to OpenUSD's VtArray; see
// the Core Specification, section 6.6.1 (Arrays).
//
// The buffer is either owned memory (FromVector, Uninitialized) or memory that a RefCounted keeps
// alive, such as a mapped file (View), in which case elements are never copied. Thread-safe to
// read.
template <typename T>
class Array : public ArrayBase {
 public:
  using value_type = T;

  Array() = default;
  Array(std::initializer_list<T> items)
      : Array(Copy(std::span<const T>(items.begin(), items.size()))) {}

  static Array FromVector(std::vector<T> items) requires(!std::is_same_v<T, bool>) {
    auto owner = MakeRef<VectorOwner>(std::move(items));
    const T* data = owner->items.data();
    const size_t size = owner->items.size();
    return Array(data, size, std::move(owner));
  }
  // An array of `size` default-initialized elements, which may be written through `*elements` until
  // the array is shared.
  static Array Uninitialized(size_t size, T** elements) {
    auto owner = MakeRef<BlockOwner>(size);
    *elements = owner->items.get();
    const T* data = owner->items.get();
    return Array(data, size, std::move(owner));
  }
  static Array Copy(std::span<const T> items) {
    T* out;
    Array result = Uninitialized(items.size(), &out);
    std::copy(items.begin(), items.end(), out);
    return result;
  }
  // A view of elements that `owner` keeps alive. They must not be modified.
  static Array View(const T* data, size_t size, RefPtr<const RefCounted> owner) {
    return Array(data, size, std::move(owner));
  }

  const T* data() const { return static_cast<const T*>(raw_data()); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& operator[](size_t i) const { return data()[i]; }
  std::span<const T> span() const { return {data(), size()}; }

  friend bool operator==(const Array& a, const Array& b) {
    if (a.size() != b.size()) return false;
    return a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  struct VectorOwner : HeapArrayOwner {
    explicit VectorOwner(std::vector<T> v) : items(std::move(v)) {}
    std::vector<T> items;
  };
  struct BlockOwner : HeapArrayOwner {
    // Does not initialize elements of trivial types.
    explicit BlockOwner(size_t size) : items(std::make_unique_for_overwrite<T[]>(size)) {}
    std::unique_ptr<T[]> items;
  };

  Array(const T* data, size_t size, RefPtr<const RefCounted> owner)
      : ArrayBase(data, size, std::move(owner)) {}
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ARRAY_H_
