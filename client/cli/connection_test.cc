#include "client/cli/connection.h"

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/exit_status.h"

namespace stagedoor {
namespace {

using Args = std::vector<std::string>;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    ::unsetenv("STAGEDOOR_ADDRESS");
    ::unsetenv("STAGEDOOR_EMBEDDED");
    ::setenv("PATH", "/nowhere", 1);  // so that no daemon is found
  }
  static absl::StatusOr<std::unique_ptr<Connection>> Open(Args args) {
    args.insert(args.begin(), "stats");
    const auto line = CommandLine::Parse(args);
    EXPECT_TRUE(line.ok()) << line.status();
    return Connection::Open(*line);
  }
  // The error of the flags; empty if they are valid.
  static std::string Error(const Args& args) {
    const absl::Status status = Open(args).status();
    EXPECT_EQ(ToExitStatus(status), status.ok() ? kExitOk : kExitUsage) << status;
    return status.ok() ? "" : std::string(Message(status));
  }
  // Whether these flags and the environment select an embedded server.
  static bool IsEmbedded(Args args) {
    args.push_back("--schema-path=/nowhere");
    const absl::Status status = Open(args).status();
    const std::string message(Message(status));
    EXPECT_NE(message.find(IsUsageError(status) ? "needs --embedded" : "/nowhere"),
              std::string::npos)
        << status;
    return !IsUsageError(status);
  }
};

// CheckDaemonAddress has a table of them.
TEST_F(ConnectionTest, AddressesAreHostAndPortOrUnixPath) {
  for (const char* address : {"unix:/run/x", "unix:x", "host:1", "[::1]:7", "unix:/x:y"}) {
    EXPECT_EQ(Error({Concat("--address=", address)}), "") << address;
  }
  EXPECT_EQ(
      Error({"--address=https://host:1/"}),
      "the address of the daemon must be HOST:PORT or unix:PATH, not 'https://host:1/'; write "
      "'host:1', and connect with TLS");
}

TEST_F(ConnectionTest, ProxiesAreUrls) {
  for (const char* proxy : {"http://p:3128", "environment", ""}) {
    EXPECT_EQ(Error({"--address=h:1", Concat("--proxy=", proxy)}), "") << proxy;
  }
  const std::string wrong = "the proxy must be 'environment' or a URL such as 'http://proxy:3128'";
  EXPECT_EQ(Error({"--address=h:1", "--proxy=p:3128"}), wrong);
  ::setenv("STAGEDOOR_PROXY", "p:3128", 1);
  EXPECT_EQ(Error({"--address=h:1"}), wrong);
  EXPECT_EQ(Error({"--address=h:1", "--proxy=environment"}), "") << "the flag takes precedence";
  ::unsetenv("STAGEDOOR_PROXY");
}

TEST_F(ConnectionTest, TheEnvironmentMayNameTheDaemon) {
  const std::string none =
      "no daemon address; pass --address, set STAGEDOOR_ADDRESS, or use --embedded";
  const std::string install = "; or install a daemon: pip install 'stagedoor[daemon]'";
  EXPECT_EQ(Error({}), none + install);
  EXPECT_EQ(Error({"--address="}), none + install);
  EXPECT_EQ(Error({"--address=none"}), none);
  for (const char* flag : {"--tls", "--tls-ca=f", "--tls-certificate=f", "--tls-key=f",
                           "--tls-server-name=n", "--token-file=f"}) {
    EXPECT_EQ(Error({flag}), none) << "a daemon on another machine is meant";
  }
  ::setenv("STAGEDOOR_ADDRESS", "none", 1);
  EXPECT_EQ(Error({}), none);
  ::setenv("STAGEDOOR_ADDRESS", "host:1", 1);
  EXPECT_EQ(Error({}), "");
  ::setenv("STAGEDOOR_ADDRESS", "wrong", 1);
  EXPECT_NE(Error({}), "");
  EXPECT_EQ(Error({"--address=host:1"}), "") << "the flag takes precedence";
}

TEST_F(ConnectionTest, TheFirstOfSeveralDaemonsThatServesIsUsed) {
  int port = 0;
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  const auto daemon = builder.BuildAndStart();
  const std::string address = Concat("127.0.0.1:", port);
  const auto chosen = [](const std::string& addresses) {
    ::setenv("STAGEDOOR_ADDRESS", addresses.c_str(), 1);
    const auto line = CommandLine::Parse({"stats"});
    const absl::StatusOr<ClientOptions> options = DaemonOptions(*line);
    EXPECT_TRUE(options.ok()) << options.status();
    return options.ok() ? options->address : "";
  };
  EXPECT_EQ(chosen(Concat("unix:/nowhere, ", address, " ,unix:/nowhere2")), address);
  EXPECT_EQ(chosen("unix:/nowhere,unix:/nowhere2"), "unix:/nowhere") << "errors name the first";
  EXPECT_NE(Error({Concat("--address=", address, ",wrong")}), "");
}

TEST_F(ConnectionTest, TimeoutsAreAtMostAMillionSeconds) {
  for (const char* name : {"timeout", "connect-timeout"}) {
    for (const char* seconds : {"0.001", "1", "1e6", "1000000"}) {
      EXPECT_EQ(Error({"--address=h:1", Concat("--", name, "=", seconds)}), "") << seconds;
    }
    for (const char* seconds : {"0", "-1", "1000001", "nan", "inf"}) {
      EXPECT_EQ(Error({"--address=h:1", Concat("--", name, "=", seconds)}),
                Concat("--", name, " must be a number of seconds above 0 and at most 1000000"))
          << seconds;
    }
    EXPECT_EQ(Error({"--address=h:1", Concat("--", name, "=soon")}),
              Concat("--", name, " must be a number, not 'soon'"));
  }
}

TEST_F(ConnectionTest, SchemaPathsNeedAnEmbeddedServer) {
  for (const std::string flag : {"schema-path", "allow-url", "allow-network", "cache-dir"}) {
    EXPECT_EQ(Error({"--address=h:1", "--" + flag + "=x"}),
              "--" + flag + " needs --embedded; a daemon has its own flag of that name");
  }
  EXPECT_TRUE(IsEmbedded({"--embedded"}));
}

TEST_F(ConnectionTest, AnEmbeddedServerAnswers) {
  const auto connection = Open({"--embedded", "--timeout=400"});
  ASSERT_TRUE(connection.ok()) << connection.status();
  const absl::Status status = (*connection)->client().GetServerStatistics({}).status();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ConnectionTest, TheEnvironmentMaySelectAnEmbeddedServer) {
  EXPECT_FALSE(IsEmbedded({"--address=h:1"}));
  ::setenv("STAGEDOOR_EMBEDDED", "1", 1);
  EXPECT_TRUE(IsEmbedded({}));
  EXPECT_FALSE(IsEmbedded({"--address=h:1"})) << "an address takes precedence";
  EXPECT_TRUE(IsEmbedded({"--address=h:1", "--embedded"}));
  for (const char* other : {"0", "", "true"}) {
    ::setenv("STAGEDOOR_EMBEDDED", other, 1);
    EXPECT_FALSE(IsEmbedded({})) << other;
  }
}

TEST_F(ConnectionTest, AMissingDaemonIsReportedAfterTheConnectTimeout) {
  const auto connection = Open({"--address=unix:/nowhere", "--connect-timeout=0.001"});
  ASSERT_TRUE(connection.ok()) << connection.status();
  const absl::Status status = (*connection)->client().GetServerStatistics({}).status();
  EXPECT_EQ(ToExitStatus(status), kExitNoDaemon) << status;
  EXPECT_NE(std::string(Message(status)).find("no daemon answers at unix:/nowhere"),
            std::string::npos)
      << status;
}

}  // namespace
}  // namespace stagedoor
