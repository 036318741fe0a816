#include "scene/layer/value_bytes.h"

#include <string>
#include <type_traits>

#include "scene/values/array.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/linear.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"
#include "scene/values/scalar_types.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

// The heap memory of an item, not counting the item itself. Short strings are stored inline.
size_t Beside(const std::string& text) {
  return text.capacity() > sizeof(std::string) / 2 ? text.capacity() : 0;
}
size_t Beside(const AssetPath& path) {
  return Beside(path.authored) + Beside(path.evaluated) + Beside(path.resolved);
}
size_t Beside(const PathExpression& expression) { return Beside(expression.text); }
size_t Beside(const Dictionary& dictionary) {
  size_t bytes = 0;
  for (const auto& [key, value] : dictionary) {
    bytes += sizeof(key) + Beside(key) + sizeof(value) + ReferredBytes(value);
  }
  return bytes;
}
size_t Beside(const Reference& reference) {
  return Beside(reference.asset) + Beside(reference.custom_data);
}
size_t Beside(const Payload& payload) { return Beside(payload.asset); }
size_t Beside(const UnregisteredValue& value) { return ReferredBytes(value.held); }
template <typename T>
requires std::is_trivially_copyable_v<T> size_t Beside(const T&) { return 0; }

template <typename Items>
size_t BytesOf(const Items& items) {
  using T = typename Items::value_type;
  size_t bytes = items.size() * sizeof(T);
  if constexpr (!std::is_trivially_copyable_v<T>) {
    for (const T& item : items) bytes += Beside(item);
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
  size_t bytes = samples.size() * (sizeof(double) + sizeof(Value));
  for (size_t i = 0; i < samples.size(); ++i) bytes += ReferredBytes(samples.At(i));
  return bytes;
}

size_t BytesOfEdit(const ArrayEdit& edit) {
  size_t bytes = edit.steps.size() * sizeof(ArrayEditStep);
  for (const ArrayEditStep& step : edit.steps) bytes += ReferredBytes(step.literal);
  return bytes;
}

size_t BytesOfSpline(const Spline& spline) {
  size_t bytes = sizeof(spline) + spline.knots.size() * sizeof(SplineKnot);
  for (const SplineKnot& knot : spline.knots) bytes += Beside(knot.custom_data);
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

size_t ReferredBytes(const Value& value) {
  if (value.is_array()) return BytesOfArray(value);
  switch (value.type()) {
    case ValueType::kString:
      return sizeof(std::string) + Beside(*value.Get<std::string>());
    case ValueType::kAssetPath:
      return sizeof(AssetPath) + Beside(*value.Get<AssetPath>());
    case ValueType::kPathExpression:
      return sizeof(PathExpression) + Beside(*value.Get<PathExpression>());
    case ValueType::kMatrix2d:
    case ValueType::kMatrix3d:
    case ValueType::kMatrix4d:
      return sizeof(Matrix<4>);
    case ValueType::kDictionary:
      return Beside(*value.Get<Dictionary>());
    case ValueType::kTimeSamples:
      return BytesOfSamples(*value.samples());
    case ValueType::kSpline:
      return BytesOfSpline(*value.Get<Spline>());
    case ValueType::kArrayEdit:
      return BytesOfEdit(*value.Get<ArrayEdit>());
    case ValueType::kUnregistered:
      return Beside(*value.Get<UnregisteredValue>());
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

}  // namespace stagedoor
