#ifndef STAGEDOOR_CLIENT_CLI_PACKED_CELL_H_
#define STAGEDOOR_CLIENT_CLI_PACKED_CELL_H_

#include <cstddef>

#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"
#include "client/cli/value_json.h"

namespace stagedoor {

// The elements of an array, as WritePackedArray writes them.
inline Cell PackedCell(const v1::PackedValues& packed) {
  JsonWriter json;
  WritePackedArray(packed, json);
  return Cell::Json(json.Take());
}

// One element; null if there is none at `index`.
inline Cell PackedCell(const v1::PackedValues& packed, size_t index) {
  JsonWriter json;
  WritePackedElement(packed, index, json);
  return Cell::Json(json.Take());
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PACKED_CELL_H_
