#ifndef STAGEDOOR_SERVER_LISTEN_SERVER_CREDENTIALS_H_
#define STAGEDOOR_SERVER_LISTEN_SERVER_CREDENTIALS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/listen/tls_options.h"

namespace grpc {
class ServerCredentials;
}  // namespace grpc

namespace stagedoor::server {

// Checks that the files of `options` can be read and belong together, because gRPC reports their
// errors only as failed handshakes. INVALID_ARGUMENT names the file.
absl::Status CheckTlsFiles(const TlsOptions& options);

// The credentials of TCP addresses: TLS if it is enabled, else insecure ones. gRPC looks for
// changes of the files every few seconds; connections that exist keep their certificates. The
// errors of CheckTlsFiles.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsOptions& options);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_SERVER_CREDENTIALS_H_
