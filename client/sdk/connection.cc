#include "client/sdk/connection.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

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

}  // namespace

std::shared_ptr<Connection> Connection::Connect(ConnectionOptions options) {
  if (options.addresses.empty()) {
    const char* const address = std::getenv("STAGEDOOR_ADDRESS");
    options.addresses.emplace_back(address == nullptr ? "127.0.0.1:50051" : address);
  }
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
