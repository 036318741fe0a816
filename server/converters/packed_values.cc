#include "server/converters/packed_values.h"

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/uninitialized_string.h"
#include "scene/paths/token.h"
#include "scene/values/asset_path.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/vec.h"
#include "server/converters/array_placer.h"
#include "server/converters/reply_budget.h"

namespace stagedoor::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "packed values are sent without conversion");

template <typename T>
inline constexpr v1::ComponentType kComponent = v1::COMPONENT_TYPE_UNSPECIFIED;
template <>
inline constexpr v1::ComponentType kComponent<bool> = v1::COMPONENT_TYPE_BOOL;
template <>
inline constexpr v1::ComponentType kComponent<uint8_t> = v1::COMPONENT_TYPE_UINT8;
template <>
inline constexpr v1::ComponentType kComponent<int32_t> = v1::COMPONENT_TYPE_INT32;
template <>
inline constexpr v1::ComponentType kComponent<uint32_t> = v1::COMPONENT_TYPE_UINT32;
template <>
inline constexpr v1::ComponentType kComponent<int64_t> = v1::COMPONENT_TYPE_INT64;
template <>
inline constexpr v1::ComponentType kComponent<uint64_t> = v1::COMPONENT_TYPE_UINT64;
template <>
inline constexpr v1::ComponentType kComponent<Half> = v1::COMPONENT_TYPE_FLOAT16;
template <>
inline constexpr v1::ComponentType kComponent<float> = v1::COMPONENT_TYPE_FLOAT32;
template <>
inline constexpr v1::ComponentType kComponent<double> = v1::COMPONENT_TYPE_FLOAT64;
template <>
inline constexpr v1::ComponentType kComponent<TimeCodeValue> = v1::COMPONENT_TYPE_TIME_CODE;
template <>
inline constexpr v1::ComponentType kComponent<Duration> = v1::COMPONENT_TYPE_DURATION;

template <typename T>
struct PackingFor {
  static constexpr Packing kPacking{kComponent<T>, v1::ELEMENT_SHAPE_SCALAR, 1, 1, sizeof(T)};
};
template <typename T, int N>
struct PackingFor<Vec<T, N>> {
  static constexpr Packing kPacking{kComponent<T>, v1::ELEMENT_SHAPE_VECTOR, 1, N, sizeof(T) * N};
};
template <typename T>
struct PackingFor<Quat<T>> {
  static constexpr Packing kPacking{kComponent<T>, v1::ELEMENT_SHAPE_QUATERNION, 1, 4,
                                    sizeof(T) * 4};
};
template <int N>
struct PackingFor<Matrix<N>> {
  static constexpr Packing kPacking{v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_MATRIX, N, N,
                                    sizeof(double) * N* N};
};
template <>
struct PackingFor<std::string> {
  static constexpr Packing kPacking{};
};
template <>
struct PackingFor<Token> : PackingFor<std::string> {};
template <>
struct PackingFor<AssetPath> : PackingFor<std::string> {};
template <>
struct PackingFor<PathExpressionValue> : PackingFor<std::string> {};

// Fills an array that gets a place in memory which the client shares. False if it gets none.
bool FillIfPlaced(const Packing& packing, const ArrayBase& array, ReplyBudget& budget,
                  v1::PackedValues* out) {
  const size_t bytes = array.size() * packing.bytes;
  if (budget.placer() == nullptr || bytes < ArrayPlacer::kMinBytes) return false;
  v1::SharedSegment segment;
  char* const place = budget.placer()->Place(bytes, &segment);
  if (place == nullptr || !budget.Charge(sizeof(v1::PackedValues) + sizeof(v1::SharedSegment))) {
    return false;
  }
  std::memcpy(place, array.raw_data(), bytes);
  FillPackedHeader(packing, array.size(), out);
  *out->mutable_segment() = std::move(segment);
  return true;
}

// Whether `bytes` of an array are left to the chunks of a stream.
bool IsStreamed(size_t bytes, const ReplyBudget& budget) {
  return budget.arrays() != nullptr && !budget.arrays()->Inlines(bytes, budget.message_bytes());
}

}  // namespace

Packing PackingOf(ValueType type) {
  switch (type) {
#define X(name, cpp, text)                                         \
  case ValueType::name:                                            \
    static_assert(PackingFor<cpp>::kPacking.bytes == 0 ||          \
                  PackingFor<cpp>::kPacking.bytes == sizeof(cpp)); \
    return PackingFor<cpp>::kPacking;
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return {};
  }
}

void FillPackedHeader(const Packing& packing, size_t count, v1::PackedValues* out) {
  out->set_component_type(packing.component);
  out->set_shape(packing.shape);
  out->set_rows(packing.rows);
  out->set_columns(packing.columns);
  out->set_count(count);
}

void FillPackedCopy(const Packing& packing, const void* elements, size_t count, ReplyBudget& budget,
                    v1::PackedValues* out) {
  const size_t bytes = count * packing.bytes;
  if (!budget.Charge(sizeof(v1::PackedValues) + bytes)) return;
  FillPackedHeader(packing, count, out);
  // set_data would make a string of the bytes and copy that.
  if (bytes != 0) out->mutable_data()->assign(static_cast<const char*>(elements), bytes);
}

bool FillIfKnown(ValueType type, const ArrayBase& array, ReplyBudget& budget,
                 v1::PackedValues* out) {
  const Packing packing = PackingOf(type);
  const auto array_digest = budget.DigestOf(type, array, packing.bytes);
  if (!array_digest.has_value() || !budget.Charge(ArrayDigest::kBytes)) return false;
  out->set_digest(std::string(array_digest->digest.bytes()));
  if (!array_digest->known || !budget.Charge(sizeof(v1::PackedValues))) return false;
  FillPackedHeader(packing, array.size(), out);
  out->set_unchanged(true);
  return true;
}

void FillPackedArray(ValueType type, const ArrayBase& array, ReplyBudget& budget,
                     v1::PackedValues* out) {
  if (FillIfKnown(type, array, budget, out)) return;
  const Packing packing = PackingOf(type);
  if (FillIfPlaced(packing, array, budget, out)) return;
  const size_t bytes = array.size() * packing.bytes;
  if (!IsStreamed(bytes, budget)) {
    return FillPackedCopy(packing, array.raw_data(), array.size(), budget, out);
  }
  if (!budget.Charge(sizeof(v1::PackedValues) + sizeof(v1::StreamedArray))) return;
  FillPackedHeader(packing, array.size(), out);
  budget.StreamArray(array, bytes, out);
}

void FillPackedMatrix(const Matrix4d& matrix, ReplyBudget& budget, v1::PackedValues* out) {
  FillPackedCopy(PackingOf(ValueType::kMatrix4d), &matrix, 1, budget, out);
}

void FillPackedMatrices(std::vector<Matrix4d> matrices, ReplyBudget& budget,
                        v1::PackedValues* out) {
  FillPackedArray(ValueType::kMatrix4d, Array<Matrix4d>::FromVector(std::move(matrices)), budget,
                  out);
}

void FillPackedDoubles(std::span<const double> numbers, ReplyBudget& budget,
                       v1::PackedValues* out) {
  if (!IsStreamed(numbers.size_bytes(), budget)) {
    return FillPackedCopy(PackingOf(ValueType::kDouble), numbers.data(), numbers.size(), budget,
                          out);
  }
  FillPackedArray(ValueType::kDouble, Array<double>::Copy(numbers), budget, out);
}

char* FillPackedZeros(const Packing& packing, size_t count, ReplyBudget& budget,
                      v1::PackedValues* out) {
  const size_t bytes = count * packing.bytes;
  if (!budget.Charge(sizeof(v1::PackedValues) + bytes)) return nullptr;
  FillPackedHeader(packing, count, out);
  out->mutable_data()->resize(bytes);
  return out->mutable_data()->data();
}

char* FillPackedUninitialized(const Packing& packing, size_t count, ReplyBudget& budget,
                              v1::PackedValues* out) {
  const size_t bytes = count * packing.bytes;
  if (!budget.Charge(sizeof(v1::PackedValues) + bytes)) return nullptr;
  FillPackedHeader(packing, count, out);
  ResizeUninitialized(out->mutable_data(), bytes);
  return out->mutable_data()->data();
}

}  // namespace stagedoor::server
