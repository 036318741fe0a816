#ifndef STAGEDOOR_SERVER_STORE_REDIS_TLS_H_
#define STAGEDOOR_SERVER_STORE_REDIS_TLS_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/store/redis_options.h"
#include "server/store/redis_socket.h"

namespace stagedoor::server {

// TLS to one server: what certificates are trusted, and the name that the server's must have.
// Thread-safe.
//
// OpenSSL writes to sockets in a way that raises SIGPIPE, which the process must ignore, as the
// daemon does.
class RedisTls {
 public:
  // Reads the certificates that `options` name. INVALID_ARGUMENT if that fails.
  static absl::StatusOr<std::unique_ptr<RedisTls>> Create(const RedisOptions& options);

  // Encrypts the stream over a connected socket. UNAVAILABLE, with the reason, if the certificate
  // is not valid or the wait timed out; the errors of the context.
  absl::StatusOr<std::unique_ptr<RedisSocket>> Connect(std::unique_ptr<RedisSocket> plain,
                                                       const RedisWait& wait) const;

 private:
  struct ContextDeleter {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  using ContextPointer = std::unique_ptr<SSL_CTX, ContextDeleter>;

  RedisTls(ContextPointer context, std::string host);

  const ContextPointer context_;
  const std::string host_;  // a name or an IP address
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_TLS_H_
