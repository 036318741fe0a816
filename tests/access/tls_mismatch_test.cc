// Tests the errors of clients that do not agree with the server about TLS.
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "client/cc/diagnosis.h"
#include "client/cc/health.h"
#include "server/server.h"
#include "tests/access/access_fixture.h"

namespace stagedoor::server {
namespace {

class TlsMismatchTest : public AccessFixture {
 protected:
  // The error of a call, which a health check has as well.
  static absl::Status Ask(ClientOptions options) {
    options.connect_timeout = std::nullopt;
    absl::Status status = Client::Connect(options)->GetCapabilities({}).status();
    EXPECT_EQ(CheckHealth(options), status);
    return status;
  }
  static absl::Status Wrong(const std::string& text) { return absl::FailedPreconditionError(text); }
  // How all clients name the server.
  std::string Daemon() const { return Concat("the daemon at ", Options().address); }
};

TEST_F(TlsMismatchTest, PlainTextToTlsIsNamed) {
  Start();
  EXPECT_EQ(Ask({.address = Options().address}),
            Wrong(Concat(Daemon(), " uses TLS, and this connection does not; connect with TLS")));
}

TEST_F(TlsMismatchTest, TlsToPlainTextIsNamed) {
  const auto plain = Server::Start({.addresses = {"127.0.0.1:0"}, .access = {}});
  ASSERT_TRUE(plain.ok()) << plain.status();
  const std::string address = (*plain)->addresses().front();
  ClientOptions options = {.address = address};
  options.security.tls = true;
  EXPECT_EQ(Ask(options), Wrong(Concat("the daemon at ", address,
                                       " does not use TLS, and this connection does; connect "
                                       "without TLS")));
  EXPECT_FALSE(Diagnose(address, {}, std::chrono::seconds(30)).has_value());
}

TEST_F(TlsMismatchTest, CertificatesThatAreNotAcceptedAreNamed) {
  Start();
  const std::string begin = Concat("the certificate of ", Daemon(), " is not accepted: ");
  const std::string end = "; check the certificates to trust and the server name";
  ClientOptions options = Options();
  options.security.server_name.clear();
  EXPECT_EQ(Ask(options), Wrong(Concat(begin,
                                       "IP address mismatch, certificate is not valid for "
                                       "'127.0.0.1'",
                                       end)));
  options.security.server_name = "other.test";
  EXPECT_EQ(
      Ask(options),
      Wrong(Concat(begin, "Hostname mismatch, certificate is not valid for 'other.test'", end)));
  options = Options();
  options.security.ca_file = NewFile("ca", TestCertificateAuthority().certificate());
  const std::string unknown(Message(Ask(options)));
  EXPECT_TRUE(unknown.starts_with(begin) && unknown.ends_with(end)) << unknown;
}

TEST_F(TlsMismatchTest, ClientCertificatesThatAreMissingOrUnknownAreNamed) {
  options().tls.require_client_certificate = true;
  Start();
  const std::string missing(Message(Ask(Options())));
  EXPECT_TRUE(missing.starts_with(Concat(Daemon(), " requires a client certificate ("))) << missing;
  EXPECT_TRUE(missing.ends_with("); give the connection a certificate and its key")) << missing;
  const auto foreign = TestCertificateAuthority().Issue({"node.farm.test"});
  ClientOptions unknown = Options();
  unknown.security.certificate_file = NewFile("client", foreign.certificate);
  unknown.security.key_file = NewFile("client_key", foreign.key);
  const std::string refused(Message(Ask(unknown)));
  EXPECT_TRUE(refused.starts_with(Concat(Daemon(), " does not accept the client certificate (")))
      << refused;
}

TEST_F(TlsMismatchTest, FilesThatCannotBeUsedAreNamed) {
  const auto issued = TestCertificateAuthority().Issue({"node.farm.test"});
  const auto other = TestCertificateAuthority().Issue({"node.farm.test"});
  const std::string text = NewFile("text", "not PEM");
  const std::string certificate = NewFile("client", issued.certificate);
  const auto ask = [](const SecurityOptions& security) {
    ClientOptions options{.address = "localhost:1"};
    options.security = security;
    return Ask(options);
  };
  const std::string no_certificate = Concat(Quoted(text), " is not a certificate in PEM form");
  EXPECT_EQ(ask({.ca_file = text}), absl::InvalidArgumentError(no_certificate));
  EXPECT_EQ(ask({.certificate_file = text, .key_file = NewFile("key", issued.key)}),
            absl::InvalidArgumentError(no_certificate));
  EXPECT_EQ(ask({.certificate_file = certificate, .key_file = text}),
            absl::InvalidArgumentError(
                Concat(Quoted(text), " is not a key in PEM form without a password")));
  const std::string foreign = NewFile("other", other.key);
  EXPECT_EQ(
      ask({.certificate_file = certificate, .key_file = foreign}),
      absl::InvalidArgumentError(Concat("the key ", Quoted(foreign),
                                        " is not that of the certificate ", Quoted(certificate))));
}

TEST_F(TlsMismatchTest, ConnectionThatWorksIsNotDiagnosed) {
  Start();
  const ClientOptions options = Options();
  EXPECT_FALSE(Diagnose(options.address, options.security, std::chrono::seconds(30)).has_value());
}

}  // namespace
}  // namespace stagedoor::server
