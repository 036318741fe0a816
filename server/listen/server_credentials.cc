#include "server/listen/server_credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include "base/status_macros.h"
#include "base/tls_files.h"

namespace stagedoor::server {
namespace {

constexpr unsigned int kRefreshSeconds = 5;

}  // namespace

absl::Status CheckTlsFiles(const TlsOptions& options) {
  SD_RETURN_IF_ERROR(CheckIdentityFiles(options.certificate_file, options.key_file));
  if (options.client_ca_file.empty()) return absl::OkStatus();
  return CheckCertificateFile(options.client_ca_file);
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
