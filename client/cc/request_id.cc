#include "client/cc/request_id.h"

#include <random>

namespace stagedoor {

std::string NewRequestId() {
  std::random_device random;  // not predictable, as handles depend on it
  std::string id;
  for (int word = 0; word < 4; ++word) {
    const unsigned bits = random();
    for (int shift = 0; shift < 32; shift += 4) id += "0123456789abcdef"[bits >> shift & 15];
  }
  return id;
}

}  // namespace stagedoor
