#include "client/cli/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/channel_security.h"
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
                        std::chrono::milliseconds* out) {
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
  SD_RETURN_IF_ERROR(SetSeconds(line, "timeout", &options.timeout));
  SD_RETURN_IF_ERROR(SetSeconds(line, "connect-timeout", &options.connect_timeout));
  return options;
}

constexpr char kNoAddress[] =
    "no daemon address; pass --address, set STAGEDOOR_ADDRESS, or use --embedded";

// Whether the flags are about a daemon that others use too.
bool IsForOtherMachines(const CommandLine& line) {
  if (line.Flag("tls")) return true;
  constexpr const char* kFlags[] = {"tls-ca", "tls-certificate", "tls-key", "tls-server-name",
                                    "token-file"};
  return std::any_of(std::begin(kFlags), std::end(kFlags),
                     [&](const char* flag) { return line.Option(flag).has_value(); });
}

// gRPC would accept any name, and use port 443 if none is given.
absl::Status CheckAddress(const std::string& address) {
  if (address.compare(0, 5, "unix:") == 0 && address.size() > 5) return absl::OkStatus();
  const size_t colon = address.rfind(':');
  const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
  if (colon != 0 && ParseNumber<uint16_t>(port).value_or(0) != 0) return absl::OkStatus();
  return UsageError(
      Concat("the address of the daemon must be HOST:PORT or unix:PATH, not ", Quoted(address)));
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

}  // namespace

absl::StatusOr<ClientOptions> DaemonOptions(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(ClientOptions options, TimeoutsOf(line));
  for (const char* flag : {"schema-path", "allow-url", "allow-network", "cache-dir"}) {
    if (!line.Option(flag).has_value()) continue;
    return UsageError(
        Concat("--", flag, " needs --embedded; a daemon has its own flag of that name"));
  }
  options.address = FlagOr(line, "address", "STAGEDOOR_ADDRESS");
  if (options.address.empty() && !IsForOtherMachines(line)) {
    if (const auto daemon = PrivateDaemon::Find()) {
      options.address = daemon->address();
      options.private_daemon = daemon;
      return options;
    }
    return UsageError(Concat(kNoAddress, "; or install a daemon: pip install 'stagedoor[daemon]'"));
  }
  if (options.address.empty() || options.address == PrivateDaemon::kNone) {
    return UsageError(kNoAddress);
  }
  SD_RETURN_IF_ERROR(CheckAddress(options.address));
  options.security = SecurityOf(line);
  const absl::Status security = MakeChannelCredentials(options).status();
  if (!security.ok()) return UsageError(Message(security));
  return options;
}

bool UsesEmbeddedServer(const CommandLine& line) {
  if (line.Option("address").has_value()) return line.Flag("embedded");
  const char* embedded = std::getenv("STAGEDOOR_EMBEDDED");
  return line.Flag("embedded") || (embedded != nullptr && std::string_view(embedded) == "1");
}

std::unique_ptr<Client> ConnectSeparately(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (!options.security.server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.security.server_name);
  }
  const auto credentials = MakeChannelCredentials(options).value_or(nullptr);
  return Client::FromChannel(grpc::CreateCustomChannel(options.address, credentials, arguments),
                             options);
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
