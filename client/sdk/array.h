#ifndef STAGEDOOR_CLIENT_SDK_ARRAY_H_
#define STAGEDOOR_CLIENT_SDK_ARRAY_H_

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace stagedoor::sdk {

// A view of the elements of an array where they arrived from the daemon, which it keeps in memory.
// Copies are cheap and share the elements, which never change. Thread-safe.
template <typename T>
class Array {
 public:
  using value_type = T;

  Array() = default;
  // `owner` keeps the elements in memory.
  Array(std::span<const T> elements, std::shared_ptr<const void> owner)
      : elements_(elements), owner_(std::move(owner)) {}

  // Valid as long as any copy of this object.
  std::span<const T> span() const { return elements_; }
  operator std::span<const T>() const& { return elements_; }  // NOLINT: implicit by design

  const T* data() const { return elements_.data(); }
  size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  const T& operator[](size_t index) const { return elements_[index]; }
  const T* begin() const { return elements_.data(); }
  const T* end() const { return elements_.data() + elements_.size(); }

 private:
  std::span<const T> elements_;
  std::shared_ptr<const void> owner_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_ARRAY_H_
