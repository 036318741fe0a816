#ifndef STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_ADDRESSES_H_
#define STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_ADDRESSES_H_

#include <grpcpp/channel.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/client_options.h"
#include "client/cc/token_file.h"
#include "server/upstream/upstream_options.h"

namespace stagedoor::server {

// The upstream daemons of a node daemon: a channel to each, and which of them calls try first.
// Thread-safe.
class UpstreamAddresses {
 public:
  using Clock = std::chrono::steady_clock;

  // INVALID_ARGUMENT names the address that is wrong, or the security option.
  static absl::StatusOr<std::unique_ptr<UpstreamAddresses>> Create(const UpstreamOptions& options);

  size_t size() const { return daemons_.size(); }
  // The addresses in the order in which a call with a routing key tries them: rendezvous hashing,
  // so that all nodes ask the same daemon about a stage, and few stages move when one is added.
  // Those that could not be reached a moment ago come last.
  std::vector<size_t> Order(std::string_view routing_key) const;

  grpc::Channel& channel(size_t address) { return *daemons_[address].channel; }
  // To be called when an attempt has ended: whether the daemon has answered.
  void Report(size_t address, bool answered);

  // How calls are repeated; the address is that of the first daemon.
  const ClientOptions& options() const { return options_; }
  // The daemon's own "Bearer TOKEN"; empty if it has none.
  std::string Authorization() { return token_.Authorization(); }
  // Whether tokens of processes may be sent to an address: over TLS or within this machine.
  bool MaySendTokens(size_t address) const;
  // All of them, as errors name them: "a:50051, b:50051".
  std::string text() const;

 private:
  struct Daemon {
    std::string address;
    std::shared_ptr<grpc::Channel> channel;
    std::atomic<Clock::duration::rep> away_until{0};
  };

  explicit UpstreamAddresses(const UpstreamOptions& options);

  ClientOptions options_;
  std::deque<Daemon> daemons_;
  TokenFile token_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_ADDRESSES_H_
