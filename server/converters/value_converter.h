#ifndef STAGEDOOR_SERVER_CONVERTERS_VALUE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_VALUE_CONVERTER_H_

#include <cstddef>
#include <cstdint>

#include "scene/values/value.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::v1 {
class LayerOffset;
class PackedValues;
class Value;
}  // namespace stagedoor::v1

namespace stagedoor::server {

class ReplyBudget;

// Converts engine values to messages. Each field is charged to the budget before it is filled;
// nothing more is filled after a charge that did not fit. Thread-safe, except that a budget is used
// by one thread.

// How deeply dictionaries may nest in a message: protobuf rejects messages nested more than 100
// levels deep, and a nested dictionary takes three levels.
constexpr int kMaxValueDepth = 28;

// Fills an empty message. An empty value leaves it empty, and a block becomes `block`. A value that
// could not be decoded, or is nested more deeply than messages may be, becomes `invalid_value`.
void FillValue(const Value& value, ReplyBudget& budget, v1::Value* out);

// The value with at most the first `most` elements of an array, or steps of an array edit, without
// copying elements. Sets `*count` to the number of all of them if some are left out, otherwise 0.
Value FirstElements(const Value& value, size_t most, uint64_t* count);

// The state of an item whose value was filled: VALUE, or UNCHANGED if it is an array that the
// client has.
v1::ItemState FilledState(const v1::Value& value);

// Whether a value is an array of numbers, vectors, matrices or quaternions.
bool IsPackedArray(const Value& value);

// Whether a value is a single vector, matrix or quaternion.
bool IsTuple(const Value& value);

// Appends a tuple to a message that is empty or holds tuples of the same type.
void AppendTuple(const Value& value, ReplyBudget& budget, v1::PackedValues* out);

void FillLayerOffset(const LayerOffset& offset, v1::LayerOffset* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_VALUE_CONVERTER_H_
