#include "scene/values/array_edit.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

namespace stagedoor {
namespace {

// The index counted from the front; nothing if it is outside [0, size).
std::optional<size_t> Resolve(int64_t index, size_t size) {
  const int64_t count = static_cast<int64_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<size_t>(index);
}

// Applies the steps of an edit to an array of one type.
template <typename T>
class Editor {
 public:
  explicit Editor(const Array<T>& array) : items_(array.begin(), array.end()) {}

  // False if the array would become too large.
  bool Apply(const ArrayEditStep& step) {
    using Kind = ArrayEditStep::Kind;
    switch (step.kind) {
      case Kind::kErase:
        if (const auto at = Resolve(step.index, items_.size())) {
          items_.erase(items_.begin() + static_cast<ptrdiff_t>(*at));
        }
        return true;
      case Kind::kMinSize:
        return Resize(step, std::max<int64_t>(step.size, static_cast<int64_t>(items_.size())));
      case Kind::kMaxSize:
        return Resize(step, std::min<int64_t>(step.size, static_cast<int64_t>(items_.size())));
      case Kind::kResize:
        return Resize(step, step.size);
      default:
        return ApplyItem(step);
    }
  }

  Array<T> Take() {
    if constexpr (std::is_same_v<T, Stored>) {
      return Array<T>::FromVector(std::move(items_));
    } else {
      T* out;
      auto result = Array<T>::Uninitialized(items_.size(), &out);
      std::copy(items_.begin(), items_.end(), out);
      return result;
    }
  }

 private:
  using Stored =
      std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;  // because vector<bool> is packed
  using Kind = ArrayEditStep::Kind;

  std::optional<Stored> ItemOf(const ArrayEditStep& step) const {
    if (step.source) {
      const auto from = Resolve(*step.source, items_.size());
      return from ? std::optional<Stored>(items_[*from]) : std::nullopt;
    }
    const T* literal = step.literal.Get<T>();
    return literal ? std::optional<Stored>(*literal) : std::nullopt;
  }

  bool ApplyItem(const ArrayEditStep& step) {
    std::optional<Stored> item = ItemOf(step);
    if (!item) return true;
    if (step.kind == Kind::kWrite) {
      if (const auto at = Resolve(step.index, items_.size())) items_[*at] = std::move(*item);
      return true;
    }
    const int64_t size = static_cast<int64_t>(items_.size());
    int64_t at = step.kind == Kind::kPrepend ? 0 : size;
    if (step.kind == Kind::kInsert) at = step.index < 0 ? step.index + size : step.index;
    if (at < 0 || at > size) return true;
    if (items_.size() >= kMaxEditedArrayBytes / sizeof(T)) return false;
    items_.insert(items_.begin() + at, std::move(*item));
    return true;
  }

  bool Resize(const ArrayEditStep& step, int64_t size) {
    if (size < 0) return true;
    if (static_cast<uint64_t>(size) > kMaxEditedArrayBytes / sizeof(T)) return false;
    items_.resize(static_cast<size_t>(size), ItemOf(step).value_or(Stored()));
    return true;
  }

  std::vector<Stored> items_;
};

template <typename T>
Value ApplyTyped(const ArrayEdit& edit, const Value& weaker) {
  const Array<T>* array = weaker.Get<Array<T>>();
  Editor<T> editor(array ? *array : Array<T>());
  for (const ArrayEditStep& step : edit.steps) {
    if (!editor.Apply(step)) {
      return Value::Invalid("cannot apply the array edit: the result would exceed the limit of " +
                            std::to_string(kMaxEditedArrayBytes) + " bytes");
    }
  }
  return Value(editor.Take());
}

}  // namespace

Value ApplyArrayEdit(const ArrayEdit& edit, const Value& weaker) {
  if (weaker.is_block() || weaker.is_invalid()) return weaker;
  if (const auto* weak = weaker.Get<ArrayEdit>()) return Value(ComposeArrayEdits(edit, *weak));
  switch (edit.element) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return ApplyTyped<cpp>(edit, weaker);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return weaker;
  }
}

ArrayEdit ComposeArrayEdits(const ArrayEdit& strong, const ArrayEdit& weak) {
  ArrayEdit result = weak;
  if (result.element == ValueType::kEmpty) result.element = strong.element;
  result.steps.insert(result.steps.end(), strong.steps.begin(), strong.steps.end());
  return result;
}

}  // namespace stagedoor
