#ifndef STAGEDOOR_CLIENT_SDK_C_COLUMNS_H_
#define STAGEDOOR_CLIENT_SDK_C_COLUMNS_H_

#include <cstddef>
#include <string_view>

#include "client/cc/value_batch.h"
#include "client/sdk/stagedoor.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::sdk {

// The component of a single number in a message of a kind. The name of its type decides for numbers
// that are wider in a reply than their type: a layer may have an int where a schema has a token.
sd_component ComponentOf(std::string_view type_name, v1::Value::KindCase kind);

// Fills a value of the C interface from a column of a reply, where its memory stays. False for a
// tuple whose bytes contradict its type, which Value::GetPacked reports.
bool FillFromColumn(const ValueBatch::Place& place, sd_value* out);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_C_COLUMNS_H_
