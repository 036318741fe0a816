#ifndef STAGEDOOR_BASE_RANDOM_ID_H_
#define STAGEDOOR_BASE_RANDOM_ID_H_

#include <sys/random.h>

#include <array>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "base/status.h"

namespace stagedoor {

// 128 random bits as 32 hexadecimal digits, which nobody can guess. INTERNAL if the system gives
// none.
inline absl::StatusOr<std::string> RandomId() {
  std::array<char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return InternalError("cannot create a random ID: getrandom failed");
  }
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_RANDOM_ID_H_
