#include "scene/layer/heap_bytes.h"

#include <string>
#include <type_traits>

#include "scene/values/array.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor {
namespace {

// The heap memory of an item, not counting the item itself. Short strings are stored inline.
size_t HeapBytesOf(const std::string& text) {
  return text.capacity() > sizeof(std::string) / 2 ? text.capacity() : 0;
}
size_t HeapBytesOf(const AssetPath& path) {
  return HeapBytesOf(path.authored) + HeapBytesOf(path.evaluated) + HeapBytesOf(path.resolved);
}
size_t HeapBytesOf(const PathExpressionValue& expression) { return HeapBytesOf(expression.text); }
size_t HeapBytesOf(const Dictionary& dictionary) {
  size_t bytes = 0;
  for (const auto& [key, value] : dictionary) {
    bytes += sizeof(key) + HeapBytesOf(key) + sizeof(value) + HeapBytes(value);
  }
  return bytes;
}
size_t HeapBytesOf(const Reference& reference) {
  return HeapBytesOf(reference.asset) + HeapBytesOf(reference.custom_data);
}
size_t HeapBytesOf(const Payload& payload) { return HeapBytesOf(payload.asset); }
size_t HeapBytesOf(const UnregisteredValue& value) { return HeapBytes(value.held); }
template <typename T>
requires std::is_trivially_copyable_v<T> size_t HeapBytesOf(const T&) { return 0; }

template <typename Items>
size_t BytesOf(const Items& items) {
  using T = typename Items::value_type;
  size_t bytes = items.size() * sizeof(T);
  if constexpr (!std::is_trivially_copyable_v<T>) {
    for (const T& item : items) bytes += HeapBytesOf(item);
  }
  return bytes;
}

template <typename T>
size_t BytesOfOp(const ListOp<T>& op) {
  size_t bytes = sizeof(op);
  for (const auto* items :
       {&op.explicit_items, &op.prepended, &op.appended, &op.deleted, &op.added, &op.ordered}) {
    bytes += BytesOf(*items);
  }
  return bytes;
}

size_t BytesOfSamples(const TimeSamples& samples) {
  size_t bytes = samples.size() * sizeof(double);
  if (!samples.InMemory()) return bytes;
  bytes += samples.size() * sizeof(Value);
  for (size_t i = 0; i < samples.size(); ++i) bytes += HeapBytes(samples.At(i));
  return bytes;
}

size_t BytesOfEdit(const ArrayEdit& edit) {
  size_t bytes = edit.steps.size() * sizeof(ArrayEditStep);
  for (const ArrayEditStep& step : edit.steps) bytes += HeapBytes(step.literal);
  return bytes;
}

size_t BytesOfSpline(const Spline& spline) {
  size_t bytes = sizeof(spline) + spline.knots.size() * sizeof(SplineKnot);
  for (const SplineKnot& knot : spline.knots) bytes += HeapBytesOf(knot.custom_data);
  return bytes;
}

size_t BytesOfArray(const Value& value) {
  switch (value.type()) {
#define X(name, type, text) \
  case ValueType::name:     \
    return BytesOf(*value.Get<Array<type>>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return 0;
  }
}

}  // namespace

size_t HeapBytes(const Value& value) {
  if (value.is_array()) return BytesOfArray(value);
  switch (value.type()) {
    case ValueType::kString:
      return sizeof(std::string) + HeapBytesOf(*value.Get<std::string>());
    case ValueType::kAssetPath:
      return sizeof(AssetPath) + HeapBytesOf(*value.Get<AssetPath>());
    case ValueType::kPathExpression:
      return sizeof(PathExpressionValue) + HeapBytesOf(*value.Get<PathExpressionValue>());
    case ValueType::kMatrix2d:
    case ValueType::kMatrix3d:
    case ValueType::kMatrix4d:
      return sizeof(Matrix<4>);
    case ValueType::kDictionary:
      return HeapBytesOf(*value.Get<Dictionary>());
    case ValueType::kTimeSamples:
      return BytesOfSamples(*value.samples());
    case ValueType::kSpline:
      return BytesOfSpline(*value.Get<Spline>());
    case ValueType::kArrayEdit:
      return BytesOfEdit(*value.Get<ArrayEdit>());
    case ValueType::kUnregistered:
      return HeapBytesOf(*value.Get<UnregisteredValue>());
#define OP(name, type)  \
  case ValueType::name: \
    return BytesOfOp(*value.Get<ListOp<type>>());
      OP(kTokenListOp, Token)
      OP(kStringListOp, std::string)
      OP(kPathListOp, Path)
      OP(kReferenceListOp, Reference)
      OP(kPayloadListOp, Payload)
      OP(kIntListOp, int32_t)
      OP(kUIntListOp, uint32_t)
      OP(kInt64ListOp, int64_t)
      OP(kUInt64ListOp, uint64_t)
      OP(kUnregisteredListOp, UnregisteredValue)
#undef OP
    default:
      return 0;
  }
}

size_t OwnHeapBytes(const Value& value) {
  const ArrayBase* array = value.array();
  if (array != nullptr && !(array->owner() && array->owner()->Unique())) return 0;
  if (value.samples() != nullptr && !value.samples()->Unique()) return 0;
  return HeapBytes(value);
}

}  // namespace stagedoor
