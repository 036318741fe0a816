#ifndef STAGEDOOR_CLIENT_SDK_VALUES_INL_H_
#define STAGEDOOR_CLIENT_SDK_VALUES_INL_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "client/sdk/values.h"

namespace stagedoor::sdk {

// The values of several parts of a batch, each of which has as many paths as it was asked for.
struct Values::Parts {
  std::vector<Values> values;
  // The index of the first path of each part, and the number of all paths.
  std::vector<size_t> begins = {0};

  // The part that has a path.
  size_t PartOf(size_t path) const {
    return static_cast<size_t>(std::upper_bound(begins.begin(), begins.end(), path) -
                               begins.begin()) -
           1;
  }
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUES_INL_H_
