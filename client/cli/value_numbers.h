#ifndef STAGEDOOR_CLIENT_CLI_VALUE_NUMBERS_H_
#define STAGEDOOR_CLIENT_CLI_VALUE_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// The number that a value is; nothing for any other value.
std::optional<double> NumberOf(const v1::Value& value);

// The components of a number (one), a vector or a quaternion (in the order i, j, k, real). Empty
// for any other value, and for bytes that do not fit the shape.
std::vector<double> ComponentsOf(const v1::Value& value);

// The number with the bits of an IEEE 754 binary16.
float HalfToFloat(uint16_t bits);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_VALUE_NUMBERS_H_
