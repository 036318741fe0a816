#ifndef STAGEDOOR_CLIENT_CLI_PACKAGE_NAMES_H_
#define STAGEDOOR_CLIENT_CLI_PACKAGE_NAMES_H_

#include "absl/status/status.h"

namespace stagedoor {

// Checks the member names of a package (usdz, a ZIP archive) that a daemon has sent with
// CheckFileName(), so that unpacking it cannot write outside of the target directory. `fd` is the
// whole file. DATA_LOSS if it is not a valid package, PERMISSION_DENIED if a name is not allowed or
// used twice.
absl::Status CheckPackageNames(int fd);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PACKAGE_NAMES_H_
