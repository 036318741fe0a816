#ifndef STAGEDOOR_CLIENT_CLI_SPLINE_JSON_H_
#define STAGEDOOR_CLIENT_CLI_SPLINE_JSON_H_

#include "client/cli/json_writer.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// Writes a spline as {"spline": {…}}, as the conformance corpus defines it. `write_value` is
// WriteValue, which calls this function in turn.
using ValueWriter = void (*)(const v1::Value& value, JsonWriter& json);
void WriteSpline(const v1::Spline& spline, ValueWriter write_value, JsonWriter& json);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SPLINE_JSON_H_
