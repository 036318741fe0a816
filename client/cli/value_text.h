#ifndef STAGEDOOR_CLIENT_CLI_VALUE_TEXT_H_
#define STAGEDOOR_CLIENT_CLI_VALUE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"
#include "stagedoor/v1/errors.pb.h"
#include "stagedoor/v1/prims.pb.h"
#include "stagedoor/v1/types.pb.h"
#include "stagedoor/v1/values.pb.h"

// How commands print values, and what belongs to them.
namespace stagedoor {

// The value as JSON, "none" if it is not set, "blocked" for a block.
std::string ValueText(const v1::Value& value, JsonWriter& json);
// The cell of a record for a value whose ValueText is `text`: nothing unless there is a value.
Cell ValueCell(const v1::Value& value, const std::string& text);
// "value", "none" or "blocked".
std::string_view StateWord(const v1::Value& value);

// In the form of --times: "default", "earliest", "1", "pre:3".
std::string TimeText(const v1::TimeCode& time);
// A time code as the cell of a record: a number if it is one.
Cell TimeCell(const v1::TimeCode& time);
// "default", "time samples", …; "nothing" if there is no opinion.
std::string_view SourceWord(v1::ValueSource source);

// The first texts, up to `most`, separated by commas, and how many more there are: "a, b and 3
// more".
std::string JoinFirst(std::vector<std::string> texts, size_t most);

// The special properties of a prim, in words: "inactive", "unloaded", "instance", "class", "over".
std::string PrimFlagWords(const v1::Prim& prim);

// Writes warnings to standard error, apart from values, and counts them.
void PrintWarnings(const google::protobuf::RepeatedPtrField<v1::Warning>& warnings, Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_VALUE_TEXT_H_
