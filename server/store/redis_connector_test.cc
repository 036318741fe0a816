#include "server/store/redis_connector.h"

#include <signal.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/error_info.h"
#include "server/store/testing/redis_server.h"

namespace stagedoor::server {
namespace {

using Transport = RedisServer::Transport;

absl::Status Connect(RedisOptions options) {
  auto connector = RedisConnector::Create(std::move(options));
  if (!connector.ok()) return connector.status();
  RequestContext context;
  return (*connector)->Connect(context).status();
}

// The text between the address and the advice of a STORE_UNAVAILABLE error.
std::string WhyUnavailable(const RedisOptions& options) {
  const absl::Status status = Connect(options);
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_STORE_UNAVAILABLE) << status;
  std::string why(Message(status));
  const std::string begin = Concat("the session store cannot be used: ", options.Address());
  const std::string end = "; try again";
  EXPECT_TRUE(why.starts_with(begin) && why.ends_with(end)) << why;
  return why.substr(0, why.size() - end.size()).substr(begin.size());
}

class RedisConnectorTest : public testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);  // see RedisTls
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "redis-server is not installed";
  }
};

TEST_F(RedisConnectorTest, ThePasswordIsChecked) {
  RedisOptions options;
  options.password = "secret";
  const RedisServer server(Transport::kUnix, options, {"--requirepass", "secret"});
  options = server.options();
  EXPECT_TRUE(Connect(options).ok());
  options.password = "other";
  EXPECT_EQ(WhyUnavailable(options),
            " replied 'WRONGPASS invalid username-password pair or user is disabled.'; check the "
            "user and the password of the Redis store");
  options.password = "secret";
  options.user = "other";
  EXPECT_EQ(WhyUnavailable(options),
            " replied 'WRONGPASS invalid username-password pair or user is disabled.'; check the "
            "user and the password of the Redis store");
  options.user = "";
  options.password = "";
  EXPECT_EQ(WhyUnavailable(options),
            " replied 'NOAUTH Authentication required.'; the server needs a password; set the one "
            "of the Redis store");
}

TEST_F(RedisConnectorTest, TheDatabaseMustExist) {
  const RedisServer server(Transport::kUnix, {});
  RedisOptions options = server.options();
  options.database = 3;
  EXPECT_TRUE(Connect(options).ok());
  options.database = 4;
  EXPECT_EQ(WhyUnavailable(options), " replied 'ERR DB index is out of range'");
}

TEST_F(RedisConnectorTest, NamesOfHostsAreLookedUp) {
  const RedisServer server(Transport::kTcp, {});
  RedisOptions options = server.options();
  options.host = "localhost";
  const absl::Status connected = Connect(options);
  EXPECT_TRUE(connected.ok()) << connected;
  options.host = "a..b";
  const std::string why = WhyUnavailable(options);
  EXPECT_TRUE(why.starts_with(": cannot find the host 'a..b': ")) << why;
}

TEST_F(RedisConnectorTest, AMissingServerIsAnError) {
  RedisServer server(Transport::kTcp, {});
  const RedisOptions options = server.options();
  server.Stop();
  EXPECT_EQ(WhyUnavailable(options), ": cannot connect: Connection refused");
  const TempDir folder("/tmp");
  RedisOptions unix_options;
  unix_options.socket_path = folder / "none";
  EXPECT_EQ(WhyUnavailable(unix_options), ": cannot connect: No such file or directory");
}

TEST_F(RedisConnectorTest, TheCertificateIsChecked) {
  const RedisServer server(Transport::kTls, {}, {"--tls-auth-clients", "no"});
  RedisOptions options = server.options();
  EXPECT_TRUE(Connect(options).ok());
  options.host = "localhost";
  EXPECT_TRUE(Connect(options).ok());
  options.ca_file = server.folder() / "other.pem";
  EXPECT_EQ(Message(Connect(options)),
            Concat("cannot read the certificates of authorities '", options.ca_file,
                   "' for Redis: No such file or directory"));
  MakeCertificate(server.folder(), "other");
  options.host = "127.0.0.1";
  EXPECT_EQ(WhyUnavailable(options),
            ": the server's certificate is not valid: self-signed certificate; check the host's "
            "name and the authority (ca_file)");
  options.ca_file = "";  // those of the system
  EXPECT_EQ(WhyUnavailable(options),
            ": the server's certificate is not valid: self-signed certificate; check the host's "
            "name and the authority (ca_file)");
}

TEST_F(RedisConnectorTest, TheCertificateMustBeOfTheHost) {
  const TempDir folder("/tmp");
  MakeCertificate(folder, "name", "DNS:localhost");
  MakeCertificate(folder, "address", "IP:127.0.0.1");
  for (const auto& [certificate, good, bad] : {std::tuple("name", "localhost", "127.0.0.1"),
                                               std::tuple("address", "127.0.0.1", "localhost")}) {
    const std::string file = folder / (std::string(certificate) + ".pem");
    const std::string key = folder / (std::string(certificate) + ".key");
    RedisOptions expected;
    expected.host = good;
    expected.ca_file = file;
    const RedisServer server(
        Transport::kTls, expected,
        {"--tls-auth-clients", "no", "--tls-cert-file", file, "--tls-key-file", key});
    RedisOptions options = server.options();
    options.host = bad;
    const std::string problem = bad == std::string("localhost") ? "hostname" : "IP address";
    EXPECT_EQ(WhyUnavailable(options),
              Concat(": the server's certificate is not valid: ", problem,
                     " mismatch; check the host's name and the authority (ca_file)"));
  }
}

TEST_F(RedisConnectorTest, TheServerMayAskForACertificate) {
  const TempDir folder("/tmp");
  MakeCertificate(folder, "client");
  RedisOptions options;
  options.certificate_file = folder / "client.pem";
  options.key_file = folder / "client.key";
  const RedisServer server(
      Transport::kTls, options,
      {"--tls-auth-clients", "yes", "--tls-ca-cert-file", options.certificate_file});
  options = server.options();
  EXPECT_TRUE(Connect(options).ok());
  options.key_file = folder / "none";
  EXPECT_EQ(Message(Connect(options)),
            Concat("cannot read the key of the certificate '", options.key_file,
                   "' for Redis: No such file or directory"));
  options.certificate_file = "";
  options.key_file = "";
  EXPECT_EQ(GetReason(Connect(options)), v1::ERROR_REASON_STORE_UNAVAILABLE);
}

}  // namespace
}  // namespace stagedoor::server
