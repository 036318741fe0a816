#include "server/store/redis_tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "base/ip_address.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslPointer = std::unique_ptr<SSL, SslDeleter>;

// The first error that OpenSSL has queued for the thread. Empties the queue, which gRPC's
// connections on the same thread would otherwise take for their own errors.
std::string TakeError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "the connection broke" : reason;
}

int ClampedSize(size_t size) {
  return static_cast<int>(std::min(size, size_t{std::numeric_limits<int>::max()}));
}

class TlsSocket final : public RedisSocket {
 public:
  TlsSocket(SslPointer ssl, std::unique_ptr<RedisSocket> plain)
      : plain_(std::move(plain)), ssl_(std::move(ssl)) {}

  absl::StatusOr<Progress> Read(std::span<char> buffer) override {
    ERR_clear_error();
    return Result(SSL_read(ssl_.get(), buffer.data(), ClampedSize(buffer.size())));
  }

  absl::StatusOr<Progress> Write(std::string_view bytes) override {
    ERR_clear_error();
    return Result(SSL_write(ssl_.get(), bytes.data(), ClampedSize(bytes.size())));
  }

  int fd() const override { return plain_->fd(); }

  absl::Status Handshake(const RedisWait& wait) {
    for (;;) {
      ERR_clear_error();
      const auto done = Result(SSL_connect(ssl_.get()));
      if (!done.ok()) return HandshakeError(done.status());
      if (done->bytes != 0) return absl::OkStatus();
      SD_ASSIGN_OR_RETURN(const bool ready, wait.For(fd(), done->wait_for));
      if (!ready)
        return UnavailableError("no TLS handshake within ", wait.timeout().count(), " ms");
    }
  }

 private:
  absl::StatusOr<Progress> Result(int done) {
    if (done > 0) return Progress{static_cast<size_t>(done), 0};
    switch (SSL_get_error(ssl_.get(), done)) {
      case SSL_ERROR_WANT_READ:
        return Progress{0, POLLIN};
      case SSL_ERROR_WANT_WRITE:
        return Progress{0, POLLOUT};
      case SSL_ERROR_ZERO_RETURN:
        ERR_clear_error();
        return UnavailableError("the server closed the connection");
      default:
        return UnavailableError(TakeError());
    }
  }

  absl::Status HandshakeError(const absl::Status& error) const {
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified == X509_V_OK) return Annotate(error, "the TLS handshake failed");
    return UnavailableError(
        "the server's certificate is not valid: ", X509_verify_cert_error_string(verified),
        "; check the host's name and the authority (ca_file)");
  }

  const std::unique_ptr<RedisSocket> plain_;
  const SslPointer ssl_;  // uses the descriptor of plain_
};

absl::Status FileError(std::string_view what, const std::string& file) {
  return InvalidArgumentError("cannot read the ", what, " ", Quoted(file),
                              " for Redis: ", TakeError());
}

// The name that the certificate must have, and for which the server is asked.
bool SetHost(SSL* ssl, const std::string& host) {
  if (IpAddress::Parse(host).has_value()) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

RedisTls::RedisTls(ContextPointer context, std::string host)
    : context_(std::move(context)), host_(std::move(host)) {}

absl::StatusOr<std::unique_ptr<RedisTls>> RedisTls::Create(const RedisOptions& options) {
  ERR_clear_error();
  ContextPointer context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return InternalError("cannot set up TLS: ", TakeError());
  SSL_CTX* const raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  // The next attempt to write may find the bytes at another address.
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (options.ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(raw);
  } else if (SSL_CTX_load_verify_file(raw, options.ca_file.c_str()) != 1) {
    return FileError("certificates of authorities", options.ca_file);
  }
  if (!options.certificate_file.empty()) {
    if (SSL_CTX_use_certificate_chain_file(raw, options.certificate_file.c_str()) != 1) {
      return FileError("certificate", options.certificate_file);
    }
    if (SSL_CTX_use_PrivateKey_file(raw, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
      return FileError("key of the certificate", options.key_file);
    }
  }
  ERR_clear_error();
  return std::unique_ptr<RedisTls>(new RedisTls(std::move(context), options.host));
}

absl::StatusOr<std::unique_ptr<RedisSocket>> RedisTls::Connect(std::unique_ptr<RedisSocket> plain,
                                                               const RedisWait& wait) const {
  ERR_clear_error();
  SslPointer ssl(SSL_new(context_.get()));
  if (ssl == nullptr || !SetHost(ssl.get(), host_) || SSL_set_fd(ssl.get(), plain->fd()) != 1) {
    return UnavailableError("cannot set up TLS: ", TakeError());
  }
  auto socket = std::make_unique<TlsSocket>(std::move(ssl), std::move(plain));
  SD_RETURN_IF_ERROR(socket->Handshake(wait));
  return socket;
}

}  // namespace stagedoor::server
