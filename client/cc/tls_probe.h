#ifndef STAGEDOOR_CLIENT_CC_TLS_PROBE_H_
#define STAGEDOOR_CLIENT_CC_TLS_PROBE_H_

#include <memory>
#include <string>
#include <string_view>

#include "client/cc/probe.h"
#include "client/cc/security_options.h"

struct bio_st;
struct ssl_ctx_st;
struct ssl_st;

namespace stagedoor {

// TLS over a connected probe, as gRPC would speak it, to find out why a handshake fails. Not
// thread-safe.
class TlsProbe {
 public:
  // The result of a step. kUntrusted: we do not accept the certificate of the other side;
  // kAlert: the other side has refused us; kNotTls: it has ended the connection, or spoken
  // something else; kNothing: the deadline has expired.
  enum class Result { kDone, kUntrusted, kAlert, kNotTls, kNothing };

  // `probe` must outlive this object.
  explicit TlsProbe(Probe& probe);
  ~TlsProbe();
  TlsProbe(const TlsProbe&) = delete;
  TlsProbe& operator=(const TlsProbe&) = delete;

  // With the certificates and the name of the options; `host` is that of the address. False if the
  // files cannot be used.
  bool Trust(const SecurityOptions& security, const std::string& host);

  Result Handshake();
  // Sends bytes, and appends the answer until it has `size` bytes. kNotTls if the other side has
  // ended the connection before.
  Result Ask(std::string_view bytes, size_t size, std::string* answer);

  // Why the last step has failed, in words: of the alert, or of what is wrong with the certificate.
  const std::string& reason() const { return reason_; }

 private:
  // How to go on after a call of OpenSSL that has returned `result`: kDone means to repeat it.
  Result AfterCall(int result);
  bool Flush();

  Probe& probe_;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  bio_st* received_ = nullptr;  // of ssl_
  bio_st* to_send_ = nullptr;   // of ssl_
  std::string name_;            // that the certificate must have
  std::string reason_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_TLS_PROBE_H_
