#include "client/cc/diagnosis.h"

#include <string_view>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/cc/channel_security.h"
#include "client/cc/daemon_address.h"
#include "client/cc/probe.h"
#include "client/cc/proxy.h"
#include "client/cc/tls_probe.h"

namespace stagedoor {
namespace {

// How a connection of HTTP/2 begins: the preface, and a SETTINGS frame without settings.
constexpr std::string_view kHello(
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    "\0\0\0\x04\0\0\0\0\0",
    33);
constexpr size_t kFrameHeaderBytes = 9;
constexpr char kSettings = 4;

// The address that is examined, and until when.
struct Subject {
  const std::string& address;
  const SecurityOptions& security;
  Probe::Clock::time_point deadline;

  std::string Host() const {
    return address.starts_with("unix:") ? "localhost" : SplitAddress(address).host;
  }
};

bool IsHttp2(std::string_view answer) {
  return answer.size() >= kFrameHeaderBytes && answer[0] == 0 && answer[3] == kSettings;
}

// How the answer to the beginning of HTTP/2 begins.
std::string AnswerOf(Probe& probe) {
  std::string answer;
  if (!probe.Send(kHello)) return answer;
  while (answer.size() < kFrameHeaderBytes && probe.Receive(&answer) == Probe::Received::kBytes) {
  }
  return answer;
}

bool SpeaksHttp2(const Subject& subject) {
  Probe probe(subject.deadline);
  return probe.Connect(subject.address) == Probe::Connected::kYes && IsHttp2(AnswerOf(probe));
}

bool SpeaksTls(const Subject& subject) {
  Probe probe(subject.deadline);
  if (probe.Connect(subject.address) != Probe::Connected::kYes) return false;
  const TlsProbe::Result result = TlsProbe(probe).Handshake();
  return result == TlsProbe::Result::kDone || result == TlsProbe::Result::kAlert;
}

std::optional<Diagnosis> WithoutTls(const Subject& subject, Probe& probe) {
  const std::string answer = AnswerOf(probe);
  if (IsHttp2(answer)) return std::nullopt;
  if (answer.starts_with("HTTP/1")) {
    return Diagnosis{FailedPreconditionError(
        "what answers at ", subject.address,
        " is not a daemon: it speaks HTTP/1; check the port; a proxy must pass HTTP/2 on")};
  }
  if (!SpeaksTls(subject)) return std::nullopt;
  return Diagnosis{
      FailedPreconditionError("the daemon at ", subject.address,
                              " uses TLS, and this connection does not; connect with TLS")};
}

Diagnosis RefusedCertificate(const Subject& subject, std::string_view reason) {
  const bool missing = subject.security.certificate_file.empty();
  return {FailedPreconditionError(
      "the daemon at ", subject.address,
      missing ? " requires a client certificate (" : " does not accept the client certificate (",
      reason,
      missing ? "); give the connection a certificate and its key"
              : "); check the certificate and its key")};
}

std::optional<Diagnosis> WithTls(const Subject& subject, Probe& probe) {
  TlsProbe tls(probe);
  if (!tls.Trust(subject.security, subject.Host())) return std::nullopt;
  TlsProbe::Result result = tls.Handshake();
  if (result == TlsProbe::Result::kDone) {
    // The daemon looks at the client's certificate only now, and may just end the connection.
    std::string answer;
    result = tls.Ask(kHello, kFrameHeaderBytes, &answer);
    if (!answer.empty()) return std::nullopt;
    if (result == TlsProbe::Result::kNotTls) {
      return RefusedCertificate(subject, "it ended the connection");
    }
  }
  switch (result) {
    case TlsProbe::Result::kAlert:
      return RefusedCertificate(subject, tls.reason());
    case TlsProbe::Result::kUntrusted:
      return Diagnosis{FailedPreconditionError(
          "the certificate of the daemon at ", subject.address, " is not accepted: ", tls.reason(),
          "; check the certificates to trust and the server name")};
    case TlsProbe::Result::kNotTls:
      break;
    default:
      return std::nullopt;
  }
  if (!SpeaksHttp2(subject)) return std::nullopt;
  return Diagnosis{
      FailedPreconditionError("the daemon at ", subject.address,
                              " does not use TLS, and this connection does; connect without TLS")};
}

// The status of the answer of HTTP/1 to a request to connect to an address, if it is one.
std::optional<int> AskToConnect(Probe& probe, std::string_view credentials,
                                std::string_view address) {
  constexpr size_t kStatusBytes = std::string_view("HTTP/1.1 200").size();
  std::string request = Concat("CONNECT ", address, " HTTP/1.1\r\nHost: ", address, "\r\n");
  if (!credentials.empty()) {
    request += Concat("Proxy-Authorization: Basic ",
                      absl::Base64Escape({credentials.data(), credentials.size()}), "\r\n");
  }
  if (!probe.Send(request + "\r\n")) return std::nullopt;
  std::string answer;
  while (answer.size() < kStatusBytes) {
    if (probe.Receive(&answer) != Probe::Received::kBytes) return std::nullopt;
  }
  if (!answer.starts_with("HTTP/1.")) return std::nullopt;
  return ParseNumber<int>(answer.substr(kStatusBytes - 3, 3));
}

}  // namespace

std::optional<Diagnosis> DiagnoseProxy(const std::string& proxy, const std::string& address,
                                       std::chrono::milliseconds limit) {
  Probe probe(Probe::Clock::now() + limit);
  const std::string via(ProxyAddress(proxy));
  switch (probe.Connect(via)) {
    case Probe::Connected::kNo:
      return std::nullopt;
    case Probe::Connected::kRefused:
      return Diagnosis{UnavailableError("no proxy listens at ", via, "; check its address"),
                       /*refused=*/true};
    case Probe::Connected::kYes:
      break;
  }
  const std::optional<int> status = AskToConnect(probe, ProxyCredentials(proxy), address);
  if (!status.has_value() || *status / 100 == 2) return std::nullopt;
  return Diagnosis{ConnectError(proxy, address, *status), /*refused=*/*status >= 500};
}

std::optional<Diagnosis> Diagnose(const std::string& address, const SecurityOptions& security,
                                  std::chrono::milliseconds limit) {
  const Subject subject = {address, security, Probe::Clock::now() + limit};
  Probe probe(subject.deadline);
  switch (probe.Connect(address)) {
    case Probe::Connected::kNo:
      return std::nullopt;
    case Probe::Connected::kRefused:
      if (!IsLocalAddress(address)) return std::nullopt;
      return Diagnosis{
          UnavailableError("nothing listens at ", address,
                           "; start the daemon, or wait for it with a connect timeout"),
          /*refused=*/true};
    case Probe::Connected::kYes:
      break;
  }
  return security.uses_tls() ? WithTls(subject, probe) : WithoutTls(subject, probe);
}

}  // namespace stagedoor
