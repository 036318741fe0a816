#include "client/sdk/connection.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "client/cc/private_daemon.h"
#include "client/sdk/callback_scope.h"
#include "client/sdk/connection_state.h"

namespace stagedoor::sdk {
namespace {

// The options of the client for one of several daemons, or for the only one.
ClientOptions OptionsFor(const ConnectionOptions& options, const std::string& address) {
  ClientOptions client = options.client;
  client.address = address;
  if (options.addresses.size() > 1) {
    client.connect_timeout = std::min(client.connect_timeout, options.failover_after);
    client.reconnect_timeout = options.failover_after;
  }
  return client;
}

// The daemon that STAGEDOOR_ADDRESS names, or else a private one. Where that is not installed, or
// settings for other machines are given, it is the one at the usual address.
void ChooseDaemon(ConnectionOptions* options) {
  const char* const variable = std::getenv("STAGEDOOR_ADDRESS");
  const std::string_view address = variable == nullptr ? "" : variable;
  const SecurityOptions& security = options->client.security;
  const bool may_be_private =
      address.empty() && !security.uses_tls() && security.token_file.empty();
  if (const auto daemon = may_be_private ? PrivateDaemon::Find() : nullptr) {
    options->addresses.push_back(daemon->address());
    options->client.private_daemon = daemon;
    return;
  }
  const bool is_named = !address.empty() && address != PrivateDaemon::kNone;
  options->addresses.emplace_back(is_named ? address : "127.0.0.1:50051");
}

}  // namespace

std::shared_ptr<Connection> Connection::Connect(ConnectionOptions options) {
  if (options.addresses.empty()) ChooseDaemon(&options);
  std::vector<std::unique_ptr<Client>> clients;
  for (const std::string& address : options.addresses) {
    clients.push_back(Client::Connect(OptionsFor(options, address)));
  }
  return FromClients(std::move(clients), std::move(options));
}

std::shared_ptr<Connection> Connection::Connect(const std::string& address) {
  ConnectionOptions options;
  if (!address.empty()) options.addresses.push_back(address);
  return Connect(std::move(options));
}

std::shared_ptr<Connection> Connection::FromClients(std::vector<std::unique_ptr<Client>> clients,
                                                    ConnectionOptions options) {
  return {new Connection(std::make_unique<ConnectionState>(std::move(clients), std::move(options))),
          CallbackScope::Delete<Connection>};
}

Connection::Connection(std::unique_ptr<ConnectionState> state) : state_(std::move(state)) {}
Connection::~Connection() = default;

Client& Connection::client() const { return *state_->clients[state_->current()]; }

Connection::ArrayCacheStatistics Connection::array_cache_statistics() const {
  const ArrayCache& arrays = state_->arrays;
  return {arrays.held_bytes(), arrays.hits(), arrays.misses()};
}

}  // namespace stagedoor::sdk
