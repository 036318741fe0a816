#ifndef STAGEDOOR_CLIENT_CLI_FLOAT_CELL_H_
#define STAGEDOOR_CLIENT_CLI_FLOAT_CELL_H_

#include <google/protobuf/repeated_field.h>

#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"

namespace stagedoor {

// The shortest text that is this float, not that of the nearest double.
inline Cell FloatCell(float number) {
  JsonWriter json;
  json.Number(number);
  return Cell::Json(json.Take());
}

// An array of them.
inline Cell FloatsCell(const google::protobuf::RepeatedField<float>& numbers) {
  JsonWriter json;
  json.BeginArray();
  for (const float number : numbers) json.Number(number);
  json.EndArray();
  return Cell::Json(json.Take());
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_FLOAT_CELL_H_
