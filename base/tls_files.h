#ifndef STAGEDOOR_BASE_TLS_FILES_H_
#define STAGEDOOR_BASE_TLS_FILES_H_

#include <string>

#include "absl/status/status.h"

namespace stagedoor {

// Checks of PEM files before gRPC gets them, which finds out only when it connects that it cannot
// use them, and does not say why. The errors are INVALID_ARGUMENT and name the file.

// Whether the file begins with a certificate, or has one after other objects.
absl::Status CheckCertificateFile(const std::string& path);

// Whether the files have a certificate and its key, which must not need a password.
absl::Status CheckIdentityFiles(const std::string& certificate_file, const std::string& key_file);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TLS_FILES_H_
