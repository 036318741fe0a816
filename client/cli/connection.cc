#include "client/cli/connection.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/channel.h"
#include "client/cc/daemon_address.h"
#include "client/cc/health.h"
#include "client/cc/private_daemon.h"
#include "server/server.h"

namespace stagedoor {
namespace {

class RemoteConnection final : public Connection {
 public:
  explicit RemoteConnection(const ClientOptions& options) : client_(Client::Connect(options)) {}
  Client& client() override { return *client_; }

 private:
  const std::unique_ptr<Client> client_;
};

class EmbeddedConnection final : public Connection {
 public:
  EmbeddedConnection(std::unique_ptr<server::Server> server, const ClientOptions& options)
      : server_(std::move(server)),
        client_(Client::FromChannel(server_->InProcessChannel(), options)) {}
  Client& client() override { return *client_; }

 private:
  const std::unique_ptr<server::Server> server_;  // outlives its client
  const std::unique_ptr<Client> client_;
};

absl::Status SetSeconds(const CommandLine& line, std::string_view name,
                        std::optional<std::chrono::milliseconds>* out) {
  SD_ASSIGN_OR_RETURN(const auto seconds, line.NumberOption(name));
  if (!seconds.has_value()) return absl::OkStatus();
  if (!(*seconds > 0) || *seconds > 1e6) {
    return UsageError(
        Concat("--", name, " must be a number of seconds above 0 and at most 1000000"));
  }
  *out = std::chrono::milliseconds(std::llround(*seconds * 1000));
  return absl::OkStatus();
}

absl::StatusOr<ClientOptions> TimeoutsOf(const CommandLine& line) {
  ClientOptions options;
  std::optional<std::chrono::milliseconds> timeout;
  SD_RETURN_IF_ERROR(SetSeconds(line, "timeout", &timeout));
  if (timeout.has_value()) options.timeout = *timeout;
  SD_RETURN_IF_ERROR(SetSeconds(line, "connect-timeout", &options.connect_timeout));
  return options;
}

// How long each of several daemons has to answer before the next one is asked.
constexpr std::chrono::milliseconds kHealthTime{2000};

constexpr char kNoAddress[] =
    "no daemon address; pass --address, set STAGEDOOR_ADDRESS, or use --embedded";

// Whether the flags are about a daemon that others use too.
bool IsForOtherMachines(const CommandLine& line) {
  if (line.Flag("tls")) return true;
  constexpr const char* kFlags[] = {"tls-ca",          "tls-certificate", "tls-key",
                                    "tls-server-name", "token-file",      "proxy"};
  return std::any_of(std::begin(kFlags), std::end(kFlags),
                     [&](const char* flag) { return line.Option(flag).has_value(); });
}

// The value of a flag, or of a variable of the environment.
std::string FlagOr(const CommandLine& line, std::string_view flag, const char* variable) {
  const char* value = std::getenv(variable);
  return line.Option(flag).value_or(value != nullptr ? value : "");
}

SecurityOptions SecurityOf(const CommandLine& line) {
  return {.tls = line.Flag("tls"),
          .ca_file = FlagOr(line, "tls-ca", "STAGEDOOR_TLS_CA"),
          .certificate_file = FlagOr(line, "tls-certificate", "STAGEDOOR_TLS_CERTIFICATE"),
          .key_file = FlagOr(line, "tls-key", "STAGEDOOR_TLS_KEY"),
          .server_name = line.Option("tls-server-name").value_or(""),
          .token_file = FlagOr(line, "token-file", "STAGEDOOR_TOKEN_FILE")};
}

// Makes `options` those of the first of several daemons that is serving, or else of the first.
absl::Status ChooseDaemon(const std::vector<std::string>& addresses, ClientOptions* options) {
  for (const std::string& address : addresses) {
    options->address = address;
    const absl::Status checked = CheckClientOptions(*options);
    if (!checked.ok()) return UsageError(Message(checked));
  }
  if (addresses.size() > 1) {
    ClientOptions asked = *options;
    asked.timeout = std::min(asked.timeout, kHealthTime);
    for (const std::string& address : addresses) {
      asked.address = options->address = address;
      if (CheckHealth(asked, "").ok()) return absl::OkStatus();
    }
  }
  options->address = addresses.front();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClientOptions> DaemonOptions(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(ClientOptions options, TimeoutsOf(line));
  for (const char* flag : {"schema-path", "allow-url", "allow-network", "cache-dir"}) {
    if (!line.Option(flag).has_value()) continue;
    return UsageError(
        Concat("--", flag, " needs --embedded; a daemon has its own flag of that name"));
  }
  const std::string named = FlagOr(line, "address", "STAGEDOOR_ADDRESS");
  const std::vector<std::string> addresses = SplitAddresses(named);
  if (addresses.empty() && !IsForOtherMachines(line)) {
    if (const auto daemon = PrivateDaemon::Find()) {
      options.address = daemon->address();
      options.private_daemon = daemon;
      return options;
    }
    return UsageError(Concat(kNoAddress, "; or install a daemon: pip install 'stagedoor[daemon]'"));
  }
  if (addresses.empty() || named == PrivateDaemon::kNone) return UsageError(kNoAddress);
  options.proxy = FlagOr(line, "proxy", "STAGEDOOR_PROXY");
  options.security = SecurityOf(line);
  SD_RETURN_IF_ERROR(ChooseDaemon(addresses, &options));
  return options;
}

bool UsesEmbeddedServer(const CommandLine& line) {
  if (line.Option("address").has_value()) return line.Flag("embedded");
  const char* embedded = std::getenv("STAGEDOOR_EMBEDDED");
  return line.Flag("embedded") || (embedded != nullptr && std::string_view(embedded) == "1");
}

std::unique_ptr<Client> ConnectSeparately(ClientOptions options) {
  options.own_connection = true;
  return Client::Connect(options);
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const CommandLine& line) {
  if (UsesEmbeddedServer(line)) {
    SD_ASSIGN_OR_RETURN(const ClientOptions options, TimeoutsOf(line));
    server::ServerOptions server_options;
    server_options.schema_paths = line.Options("schema-path");
    server_options.remote.allowed_urls = line.Options("allow-url");
    server_options.remote.allowed_networks = line.Options("allow-network");
    server_options.remote.cache.directory = line.Option("cache-dir").value_or("");
    for (std::string& path : server::SchemaPathsFromEnvironment()) {
      server_options.schema_paths.push_back(std::move(path));
    }
    SD_ASSIGN_OR_RETURN(std::unique_ptr<server::Server> server,
                        server::Server::Start(server_options));
    return std::make_unique<EmbeddedConnection>(std::move(server), options);
  }
  SD_ASSIGN_OR_RETURN(const ClientOptions options, DaemonOptions(line));
  return std::make_unique<RemoteConnection>(options);
}

}  // namespace stagedoor
