#ifndef STAGEDOOR_CLIENT_CLI_VALUE_JSON_H_
#define STAGEDOOR_CLIENT_CLI_VALUE_JSON_H_

#include <cstddef>
#include <string_view>

#include "client/cli/json_writer.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// Writes a value as the conformance corpus defines it ("Values in JSON"): an unset value is null, a
// block is {"blocked": true}. If the writer summarizes arrays, those of more than 8 elements become
// objects with "count", "digest" (the 64-bit FNV-1a of the little-endian bytes, or of the strings
// with a zero byte after each), and the two elements at each end, "first" and "last".
void WriteValue(const v1::Value& value, JsonWriter& json);

// Writes "key": value.
void WriteField(std::string_view key, const v1::Value& value, JsonWriter& json);

// Writes the fields as an object.
void WriteFields(const google::protobuf::RepeatedPtrField<v1::Field>& fields, JsonWriter& json);

// Writes an array of the elements, each a number, a vector, the rows of a matrix, or a quaternion
// [real, i, j, k].
void WritePackedArray(const v1::PackedValues& packed, JsonWriter& json);
// Writes one element; null if there is none at `index`.
void WritePackedElement(const v1::PackedValues& packed, size_t index, JsonWriter& json);
// The number of elements whose bytes are here, whatever `count` says; 0 for an invalid shape.
size_t PackedElementCount(const v1::PackedValues& packed);

// The keywords of the text format, such as "def" and "uniform".
std::string_view SpecifierKeyword(v1::Specifier specifier);
std::string_view VariabilityKeyword(v1::Variability variability);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_VALUE_JSON_H_
