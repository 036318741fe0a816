#ifndef STAGEDOOR_SCENE_VALUES_REF_COUNTED_H_
#define STAGEDOOR_SCENE_VALUES_REF_COUNTED_H_

#include <atomic>
#include <cstdint>
#include <utility>

namespace stagedoor {

// Intrusive reference counting for the shared parts of values. Corresponds to OpenUSD's TfRefBase
// and TfRefPtr.

// Starts with one reference. Thread-safe; subclasses must be immutable once shared.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  // Whether the caller holds the only reference.
  bool Unique() const { return refs_.load(std::memory_order_acquire) == 1; }

 private:
  mutable std::atomic<uint32_t> refs_{1};
};

// An owning pointer to a RefCounted. Adopt() takes over a reference, Share() adds one.
template <typename T>
class RefPtr {
 public:
  RefPtr() = default;
  static RefPtr Adopt(T* object) {
    RefPtr p;
    p.object_ = object;
    return p;
  }
  static RefPtr Share(T* object) {
    if (object) object->Ref();
    return Adopt(object);
  }
  RefPtr(const RefPtr& other) : object_(other.object_) {
    if (object_) object_->Ref();
  }
  RefPtr(RefPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  RefPtr(RefPtr<U> other) : object_(other.release()) {}  // NOLINT: implicit upcast
  RefPtr& operator=(RefPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~RefPtr() {
    if (object_) object_->Unref();
  }

  T* get() const { return object_; }
  T* release() { return std::exchange(object_, nullptr); }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Args>
RefPtr<T> MakeRef(Args&&... args) {
  return RefPtr<T>::Adopt(new T(std::forward<Args>(args)...));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_REF_COUNTED_H_
