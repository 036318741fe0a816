#ifndef STAGEDOOR_CLIENT_CLI_VALUE_JSON_H_
#define STAGEDOOR_CLIENT_CLI_VALUE_JSON_H_

#include <string_view>

#include "client/cli/json_writer.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// Writes a value as the conformance corpus defines it ("Values in JSON"); no value is null, a block
// is {"blocked": true}. Where arrays are summarized (JsonWriter), those of more than 8 elements are
// objects: "count"; "digest", the 64-bit FNV-1a of their bytes, little-endian, of each text with a
// zero behind it; the "first" and "last" two elements.
void WriteValue(const v1::Value& value, JsonWriter& json);

// "key": value
void WriteField(std::string_view key, const v1::Value& value, JsonWriter& json);

// An object of fields.
void WriteFields(const google::protobuf::RepeatedPtrField<v1::Field>& fields, JsonWriter& json);

// An array of the elements, each a number, a vector, rows of a matrix or [real, i, j, k].
void WritePackedArray(const v1::PackedValues& packed, JsonWriter& json);

// The usda word, as "def".
std::string_view SpecifierKeyword(v1::Specifier specifier);
std::string_view VariabilityKeyword(v1::Variability variability);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_VALUE_JSON_H_
