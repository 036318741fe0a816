#ifndef STAGEDOOR_SERVER_CONVERTERS_VALUE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_VALUE_CONVERTER_H_

#include <span>

#include "scene/values/reference.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

class ReplyBudget;

namespace v1 {
class LayerOffset;
class PackedValues;
class Value;
}  // namespace v1

// Engine values as messages. Everything is charged before it is filled in; nothing more is filled
// in once a charge did not fit. Usable from any thread.

// Fills an empty message. An empty value stays unset, a block becomes `block`; what could not be
// decoded, or nests deeper than messages may, becomes `invalid_value`.
void FillValue(const Value& value, ReplyBudget& budget, v1::Value* out);

// The type, shape and count of a packed array, without its bytes. False when `value` is no array of
// numbers.
bool FillPackedHeader(const Value& value, v1::PackedValues* out);

// The bytes of one element of a packed array; 0 for types that are not packed.
size_t PackedElementBytes(ValueType type);

// Whether a value is one vector, matrix or quaternion.
bool IsTuple(const Value& value);

// Appends a tuple to others of its type, the first one to an empty message.
void AppendTuple(const Value& value, ReplyBudget& budget, v1::PackedValues* out);

// Arrays of results, packed.
void FillPackedMatrices(std::span<const Matrix4d> matrices, ReplyBudget& budget,
                        v1::PackedValues* out);

// Vectors without their bytes, which are sent from where they are.
void FillPackedVectorsHeader(size_t count, v1::PackedValues* out);

void FillLayerOffset(const LayerOffset& offset, v1::LayerOffset* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_VALUE_CONVERTER_H_
