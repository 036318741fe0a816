#include "client/cli/connection.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
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
  EmbeddedConnection(std::unique_ptr<Server> server, const ClientOptions& options)
      : server_(std::move(server)), client_(Client::Over(server_->InProcessChannel(), options)) {}
  Client& client() override { return *client_; }

 private:
  const std::unique_ptr<Server> server_;  // outlives its client
  const std::unique_ptr<Client> client_;
};

bool Embedded(const CommandLine& line) {
  if (line.Option("address").has_value()) return line.Flag("embedded");
  const char* embedded = std::getenv("STAGEDOOR_EMBEDDED");
  return line.Flag("embedded") || (embedded != nullptr && std::string_view(embedded) == "1");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const CommandLine& line) {
  ClientOptions options;
  SD_ASSIGN_OR_RETURN(const auto timeout, line.NumberOption("timeout"));
  if (timeout.has_value()) {
    if (!(*timeout > 0) || *timeout > 1e6) return UsageError("--timeout needs seconds above 0");
    options.timeout = std::chrono::milliseconds(std::llround(*timeout * 1000));
  }
  if (Embedded(line)) {
    ServerOptions server_options;
    server_options.schema_paths = line.Options("schema-path");
    for (std::string& path : SchemaPathsFromEnvironment()) {
      server_options.schema_paths.push_back(std::move(path));
    }
    SD_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Server::Start(server_options));
    return std::make_unique<EmbeddedConnection>(std::move(server), options);
  }
  if (line.Option("schema-path").has_value()) {
    return UsageError("--schema-path needs --embedded: a daemon has its own");
  }
  const char* address = std::getenv("STAGEDOOR_ADDRESS");
  options.address = line.Option("address").value_or(address != nullptr ? address : "");
  if (options.address.empty()) {
    return UsageError("no daemon: give --address, set STAGEDOOR_ADDRESS, or use --embedded");
  }
  return std::make_unique<RemoteConnection>(options);
}

}  // namespace stagedoor
