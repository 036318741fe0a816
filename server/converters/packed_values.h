#ifndef STAGEDOOR_SERVER_CONVERTERS_PACKED_VALUES_H_
#define STAGEDOOR_SERVER_CONVERTERS_PACKED_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scene/values/array.h"
#include "scene/values/matrix.h"
#include "scene/values/value_type.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

class ReplyBudget;

// How the elements of a type are packed. All zero for a type that is not packed.
struct Packing {
  v1::ComponentType component = v1::COMPONENT_TYPE_UNSPECIFIED;
  v1::ElementShape shape = v1::ELEMENT_SHAPE_UNSPECIFIED;
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t bytes = 0;  // of one element
};

// The packing of a scalar, vector, matrix or quaternion.
Packing PackingOf(ValueType type);
// The packing of axis-aligned boxes of doubles.
inline constexpr Packing kRangePacking{v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_RANGE, 2, 3,
                                       6 * sizeof(double)};

// Fills everything but the bytes.
void FillPackedHeader(const Packing& packing, size_t count, v1::PackedValues* out);

// Fills a message with a copy of `count` elements.
void FillPackedCopy(const Packing& packing, const void* elements, size_t count, ReplyBudget& budget,
                    v1::PackedValues* out);
void FillPackedMatrix(const Matrix4d& matrix, ReplyBudget& budget, v1::PackedValues* out);

// Fills a message with an array of elements of `type`: with a copy of its bytes or, if the budget
// belongs to a stream that sends the array in chunks, with a reference to it. Without the bytes if
// the client has them (ReplyBudget::UseDigestOptions).
void FillPackedArray(ValueType type, const ArrayBase& array, ReplyBudget& budget,
                     v1::PackedValues* out);
// Fills the digest of an array, if the client asked for digests. True if the client has the array:
// the message is complete then.
bool FillIfKnown(ValueType type, const ArrayBase& array, ReplyBudget& budget,
                 v1::PackedValues* out);
// As FillPackedArray, for elements that are not in an array.
void FillPackedMatrices(std::vector<Matrix4d> matrices, ReplyBudget& budget, v1::PackedValues* out);
void FillPackedDoubles(std::span<const double> numbers, ReplyBudget& budget, v1::PackedValues* out);

// Fills a message with `count` elements whose bytes are zero, to be written by the caller. Null if
// the budget is used up.
char* FillPackedZeros(const Packing& packing, size_t count, ReplyBudget& budget,
                      v1::PackedValues* out);
// Like FillPackedZeros, but with bytes that are not set: the caller must write all of them.
char* FillPackedUninitialized(const Packing& packing, size_t count, ReplyBudget& budget,
                              v1::PackedValues* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_PACKED_VALUES_H_
