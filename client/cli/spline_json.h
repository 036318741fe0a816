#ifndef STAGEDOOR_CLIENT_CLI_SPLINE_JSON_H_
#define STAGEDOOR_CLIENT_CLI_SPLINE_JSON_H_

#include "client/cli/json_writer.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// Writes a spline as {"spline": {…}}, as the conformance corpus defines it.
void WriteSpline(const v1::Spline& spline, JsonWriter& json);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SPLINE_JSON_H_
