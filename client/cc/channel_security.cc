#include "client/cc/channel_security.h"

#include <grpcpp/security/credentials.h>

#include <fstream>
#include <iterator>
#include <string_view>

#include "base/ip_address.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/tls_files.h"

namespace stagedoor {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), {});
  if (file && !content.empty()) return content;
  return InvalidArgumentError("cannot read ", Quoted(path),
                              ": check that it exists, its permissions, and that it is not empty");
}

// gRPC would say that no daemon answers, if it could not use them.
absl::Status CheckFiles(const SecurityOptions& security) {
  if (!security.ca_file.empty()) SD_RETURN_IF_ERROR(CheckCertificateFile(security.ca_file));
  if (security.certificate_file.empty()) return absl::OkStatus();
  return CheckIdentityFiles(security.certificate_file, security.key_file);
}

}  // namespace

bool IsLocalAddress(const std::string& address) {
  if (address.starts_with("unix:")) return true;
  std::string host = address.substr(0, address.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return IsLoopbackHost(host);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const ClientOptions& options) {
  const SecurityOptions& security = options.security;
  if (security.certificate_file.empty() != security.key_file.empty()) {
    return InvalidArgumentError("a client certificate and its key must be given together");
  }
  if (!security.token_file.empty()) {
    SD_RETURN_IF_ERROR(ReadFile(security.token_file).status());
    if (!security.uses_tls() && !IsLocalAddress(options.address)) {
      return InvalidArgumentError("a token is sent to ", options.address,
                                  " only with TLS, because others could read it");
    }
  }
  if (!security.uses_tls()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  SD_ASSIGN_OR_RETURN(ssl.pem_root_certs, ReadFile(security.ca_file));
  SD_ASSIGN_OR_RETURN(ssl.pem_cert_chain, ReadFile(security.certificate_file));
  SD_ASSIGN_OR_RETURN(ssl.pem_private_key, ReadFile(security.key_file));
  SD_RETURN_IF_ERROR(CheckFiles(security));
  return grpc::SslCredentials(ssl);
}

}  // namespace stagedoor
