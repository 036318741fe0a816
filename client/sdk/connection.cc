#include "client/sdk/connection.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "client/cc/daemon_address.h"
#include "client/cc/private_daemon.h"
#include "client/sdk/callback_scope.h"
#include "client/sdk/connection_state.h"
#include "client/sdk/error.h"

namespace stagedoor::sdk {
namespace {

std::string FromEnvironment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// The options of the client for one of several daemons, or for the only one.
ClientOptions OptionsFor(const ConnectionOptions& options, const std::string& address) {
  ClientOptions client = options.client;
  client.address = address;
  if (client.private_daemon != nullptr) {
    client.proxy.clear();
  } else if (client.proxy.empty()) {
    client.proxy = FromEnvironment("STAGEDOOR_PROXY");
  }
  if (options.addresses.size() > 1) {
    if (client.connect_timeout.has_value()) {
      client.connect_timeout = std::min(*client.connect_timeout, options.failover_after);
    }
    client.reconnect_timeout = options.failover_after;
  }
  return client;
}

// Without addresses, chooses the daemons that STAGEDOOR_ADDRESS names, or else a private one. Where
// that is not installed, or settings for other machines are given, it is the one at the usual
// address.
void ChooseDaemons(ConnectionOptions* options) {
  if (!options->addresses.empty()) return;
  options->addresses = SplitAddresses(FromEnvironment("STAGEDOOR_ADDRESS"));
  const bool is_off =
      options->addresses.size() == 1 && options->addresses.front() == PrivateDaemon::kNone;
  if (!options->addresses.empty() && !is_off) return;
  const SecurityOptions& security = options->client.security;
  const bool may_be_private = !is_off && !security.uses_tls() && security.token_file.empty();
  if (const auto daemon = may_be_private ? PrivateDaemon::Find() : nullptr) {
    options->client.private_daemon = daemon;
    options->addresses = {daemon->address()};
  } else {
    options->addresses = {"127.0.0.1:50051"};
  }
}

// If one of the addresses is wrong, keeps only that one, so that each call says so.
void KeepWrongAddress(std::vector<std::string>* addresses) {
  for (const std::string& address : *addresses) {
    if (CheckDaemonAddress(address).ok()) continue;
    *addresses = {std::string(address)};
    return;
  }
}

}  // namespace

std::shared_ptr<Connection> Connection::Connect(ConnectionOptions options) {
  ChooseDaemons(&options);
  KeepWrongAddress(&options.addresses);
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

absl::StatusOr<Asset> Connection::ReadAsset(const v1::ReadAssetRequest& request,
                                            const CallOptions& call) const {
  using Clock = std::chrono::steady_clock;
  // Behind one address there may be a proxy with several daemons.
  const size_t attempts = std::max<size_t>(3, state_->clients.size());
  const auto deadline = Clock::now() + call.timeout.value_or(state_->options.client.timeout);
  CallOptions remaining = call;
  for (size_t attempt = 1;; ++attempt) {
    const size_t daemon = state_->current();
    Asset asset;
    remaining.timeout = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    absl::Status status = state_->clients[daemon]->ReadAsset(
        request,
        [&](const v1::ReadAssetResponse& part) {
          if (part.has_asset()) asset.info = part.asset();
          asset.data += part.data();
          return absl::OkStatus();
        },
        remaining);
    if (status.ok()) return asset;
    if (!IsUnreachable(status) || attempt == attempts || Clock::now() >= deadline) return status;
    state_->Leave(daemon);
  }
}

Connection::ArrayCacheStatistics Connection::array_cache_statistics() const {
  const ArrayCache& arrays = state_->arrays;
  return {arrays.held_bytes(), arrays.hits(), arrays.misses()};
}

}  // namespace stagedoor::sdk
