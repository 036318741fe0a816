#include "base/tls_files.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/openssl_pointers.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Instead of asking for a password on the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

// Reads the first object of a PEM file with one of OpenSSL's functions.
template <typename Pointer, typename Read>
absl::StatusOr<Pointer> ReadPem(const std::string& path, std::string_view what, Read* read) {
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) {
    return InvalidArgumentError("cannot read the ", what, " ", Quoted(path),
                                ": check that it exists and its permissions");
  }
  Pointer object(read(file.get(), nullptr, NoPassword, nullptr));
  if (object != nullptr) return object;
  return InvalidArgumentError(Quoted(path), " is not a ", what, " in PEM form",
                              what == "key" ? " without a password" : "");
}

absl::StatusOr<CertificatePointer> ReadCertificate(const std::string& path) {
  return ReadPem<CertificatePointer>(path, "certificate", PEM_read_X509);
}

}  // namespace

absl::Status CheckCertificateFile(const std::string& path) {
  const OpensslErrorScope errors;
  return ReadCertificate(path).status();
}

absl::Status CheckIdentityFiles(const std::string& certificate_file, const std::string& key_file) {
  const OpensslErrorScope errors;
  SD_ASSIGN_OR_RETURN(const CertificatePointer certificate, ReadCertificate(certificate_file));
  SD_ASSIGN_OR_RETURN(const KeyPointer key,
                      ReadPem<KeyPointer>(key_file, "key", PEM_read_PrivateKey));
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return absl::OkStatus();
  return InvalidArgumentError("the key ", Quoted(key_file), " is not that of the certificate ",
                              Quoted(certificate_file));
}

}  // namespace stagedoor
