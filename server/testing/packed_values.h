#ifndef STAGEDOOR_SERVER_TESTING_PACKED_VALUES_H_
#define STAGEDOOR_SERVER_TESTING_PACKED_VALUES_H_

#include <cstring>
#include <vector>

#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The components of all elements of a packed array, one after another.
template <typename Number>
std::vector<Number> Unpack(const v1::PackedValues& packed) {
  std::vector<Number> numbers(packed.data().size() / sizeof(Number));
  std::memcpy(numbers.data(), packed.data().data(), numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_PACKED_VALUES_H_
