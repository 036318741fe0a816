#include "client/cc/tls_probe.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/ip_address.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr unsigned char kHttp2[] = {2, 'h', '2'};

// The words of an alert that the other side has sent; empty if the error is something else.
std::string AlertOf(unsigned long error) {  // NOLINT(google-runtime-int): that of OpenSSL
  constexpr std::string_view kAlert = "alert ";
  if (ERR_GET_LIB(error) != ERR_LIB_SSL || ERR_GET_REASON(error) < SSL_AD_REASON_OFFSET) return {};
  const char* const text = ERR_reason_error_string(error);
  const std::string words = text == nullptr ? "" : text;
  const size_t found = words.rfind(kAlert);
  return found == std::string::npos ? "an alert of TLS" : words.substr(found + kAlert.size());
}

std::string WordsOf(long verdict, const std::string& name) {  // NOLINT(google-runtime-int)
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH) {
    return Concat("Hostname mismatch, certificate is not valid for '", name, "'");
  }
  if (verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return Concat("IP address mismatch, certificate is not valid for '", name, "'");
  }
  return X509_verify_cert_error_string(verdict);
}

}  // namespace

TlsProbe::TlsProbe(Probe& probe)
    : probe_(probe),
      context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
      ssl_(nullptr, SSL_free) {
  if (context_ == nullptr) return;
  SSL_CTX_set_alpn_protos(context_.get(), kHttp2, sizeof(kHttp2));
}

TlsProbe::~TlsProbe() { ERR_clear_error(); }

bool TlsProbe::Trust(const SecurityOptions& security, const std::string& host) {
  SSL_CTX* const context = context_.get();
  if (context == nullptr) return false;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const std::string& ca = security.ca_file;
  const int trusted = ca.empty() ? SSL_CTX_set_default_verify_paths(context)
                                 : SSL_CTX_load_verify_locations(context, ca.c_str(), nullptr);
  if (trusted != 1) return false;
  name_ = security.server_name.empty() ? host : security.server_name;
  X509_VERIFY_PARAM* const checks = SSL_CTX_get0_param(context);
  const int named = IpAddress::Parse(name_).has_value()
                        ? X509_VERIFY_PARAM_set1_ip_asc(checks, name_.c_str())
                        : X509_VERIFY_PARAM_set1_host(checks, name_.data(), name_.size());
  if (named != 1) return false;
  if (security.certificate_file.empty()) return true;
  return SSL_CTX_use_certificate_chain_file(context, security.certificate_file.c_str()) == 1 &&
         SSL_CTX_use_PrivateKey_file(context, security.key_file.c_str(), SSL_FILETYPE_PEM) == 1;
}

bool TlsProbe::Flush() {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(to_send_, &bytes);  // NOLINT(google-runtime-int)
  const bool sent = size <= 0 || probe_.Send(std::string_view(bytes, static_cast<size_t>(size)));
  (void)BIO_reset(to_send_);
  return sent;
}

TlsProbe::Result TlsProbe::AfterCall(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  const unsigned long cause = ERR_peek_last_error();  // NOLINT(google-runtime-int)
  Flush();
  if (error == SSL_ERROR_WANT_READ) {
    std::string bytes;
    switch (probe_.Receive(&bytes)) {
      case Probe::Received::kEnd:
        return Result::kNotTls;
      case Probe::Received::kNothing:
        return Result::kNothing;
      case Probe::Received::kBytes:
        BIO_write(received_, bytes.data(), static_cast<int>(bytes.size()));
        return Result::kDone;
    }
  }
  reason_ = AlertOf(cause);
  if (!reason_.empty()) return Result::kAlert;
  const auto verdict = SSL_get_verify_result(ssl_.get());
  if (verdict == X509_V_OK) return Result::kNotTls;
  reason_ = WordsOf(verdict, name_);
  return Result::kUntrusted;
}

TlsProbe::Result TlsProbe::Handshake() {
  if (context_ != nullptr) ssl_.reset(SSL_new(context_.get()));
  if (ssl_ == nullptr) return Result::kNothing;
  received_ = BIO_new(BIO_s_mem());
  to_send_ = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl_.get(), received_, to_send_);
  if (!name_.empty() && !IpAddress::Parse(name_).has_value()) {
    SSL_set_tlsext_host_name(ssl_.get(), name_.c_str());
  }
  for (;;) {
    ERR_clear_error();
    const int result = SSL_connect(ssl_.get());
    if (result == 1) return Flush() ? Result::kDone : Result::kNotTls;
    if (const Result next = AfterCall(result); next != Result::kDone) return next;
  }
}

TlsProbe::Result TlsProbe::Ask(std::string_view bytes, size_t size, std::string* answer) {
  ERR_clear_error();
  // An error of sending is noticed by reading.
  SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
  Flush();
  while (answer->size() < size) {
    char part[256];
    ERR_clear_error();
    const int got = SSL_read(ssl_.get(), part, sizeof(part));
    if (got > 0) {
      answer->append(part, static_cast<size_t>(got));
    } else if (const Result next = AfterCall(got); next != Result::kDone) {
      return next;
    }
  }
  return Result::kDone;
}

}  // namespace stagedoor
