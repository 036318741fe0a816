#ifndef STAGEDOOR_CLIENT_CLI_PACKAGE_NAMES_H_
#define STAGEDOOR_CLIENT_CLI_PACKAGE_NAMES_H_

#include "absl/status/status.h"

namespace stagedoor {

// Checks the names of the members of a package (usdz, a zip archive) that a daemon has sent, by
// CheckFileName: whoever unpacks it shall not write elsewhere. `fd` is the whole file. DATA_LOSS
// for what is no package, PERMISSION_DENIED for a name that is not allowed or given twice.
absl::Status CheckPackageNames(int fd);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PACKAGE_NAMES_H_
