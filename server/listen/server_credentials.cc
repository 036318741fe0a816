#include "server/listen/server_credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/openssl_pointers.h"

namespace stagedoor::server {
namespace {

constexpr unsigned int kRefreshSeconds = 5;

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

}  // namespace

absl::Status CheckTlsFiles(const TlsOptions& options) {
  const OpensslErrorScope errors;
  SD_ASSIGN_OR_RETURN(
      const CertificatePointer certificate,
      ReadPem<CertificatePointer>(options.certificate_file, "certificate", PEM_read_X509));
  SD_ASSIGN_OR_RETURN(const KeyPointer key,
                      ReadPem<KeyPointer>(options.key_file, "key", PEM_read_PrivateKey));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return InvalidArgumentError("the key ", Quoted(options.key_file),
                                " is not that of the certificate ",
                                Quoted(options.certificate_file));
  }
  if (options.client_ca_file.empty()) return absl::OkStatus();
  return ReadPem<CertificatePointer>(options.client_ca_file, "certificate", PEM_read_X509).status();
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsOptions& options) {
  if (!options.enabled()) return grpc::InsecureServerCredentials();
  SD_RETURN_IF_ERROR(CheckTlsFiles(options));
  namespace tls = grpc::experimental;
  const bool ask = !options.client_ca_file.empty();
  auto provider = std::make_shared<tls::FileWatcherCertificateProvider>(
      options.key_file, options.certificate_file, options.client_ca_file, kRefreshSeconds);
  tls::TlsServerCredentialsOptions credentials(std::move(provider));
  credentials.watch_identity_key_cert_pairs();
  if (ask) credentials.watch_root_certs();
  credentials.set_cert_request_type(!ask ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                    : options.require_client_certificate
                                        ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                        : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  return tls::TlsServerCredentials(credentials);
}

}  // namespace stagedoor::server
