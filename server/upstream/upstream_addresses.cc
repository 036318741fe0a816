#include "server/upstream/upstream_addresses.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/channel.h"
#include "client/cc/channel_security.h"

namespace stagedoor::server {
namespace {

// For how long others are asked first after an address could not be reached.
constexpr std::chrono::seconds kAway{5};

UpstreamAddresses::Clock::duration::rep Now() {
  return UpstreamAddresses::Clock::now().time_since_epoch().count();
}

uint64_t RendezvousWeight(std::string_view address, std::string_view routing_key) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(address);
  fingerprinter.Add(routing_key);
  return fingerprinter.FinishWords()[0];
}

}  // namespace

UpstreamAddresses::UpstreamAddresses(const UpstreamOptions& options)
    : token_(options.security.token_file) {
  options_.security = options.security;
  options_.reconnect_timeout = options.reconnect;
}

absl::StatusOr<std::unique_ptr<UpstreamAddresses>> UpstreamAddresses::Create(
    const UpstreamOptions& options) {
  std::unique_ptr<UpstreamAddresses> addresses(new UpstreamAddresses(options));
  for (const std::string& address : options.addresses) {
    ClientOptions daemon = addresses->options_;
    daemon.address = address;
    const absl::Status status = CheckClientOptions(daemon);
    if (!status.ok()) return Annotate(status, "--upstream");
    Daemon& added = addresses->daemons_.emplace_back();
    added.address = address;
    added.channel = MakeChannel(daemon);
  }
  addresses->options_.address = options.addresses.front();
  return addresses;
}

std::vector<size_t> UpstreamAddresses::Order(std::string_view routing_key) const {
  if (daemons_.size() == 1) return {0};
  struct Candidate {
    bool away;
    uint64_t weight;
    size_t address;
  };
  const auto now = Now();
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < daemons_.size(); ++i) {
    const bool away = daemons_[i].away_until.load(std::memory_order_relaxed) > now;
    candidates.push_back({away, RendezvousWeight(daemons_[i].address, routing_key), i});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.away != b.away ? b.away : a.weight > b.weight;
  });
  std::vector<size_t> order;
  for (const Candidate& candidate : candidates) order.push_back(candidate.address);
  return order;
}

void UpstreamAddresses::Report(size_t address, bool answered) {
  const auto until = answered ? 0 : Now() + Clock::duration(kAway).count();
  daemons_[address].away_until.store(until, std::memory_order_relaxed);
}

bool UpstreamAddresses::MaySendTokens(size_t address) const {
  return options_.security.uses_tls() || IsLocalAddress(daemons_[address].address);
}

std::string UpstreamAddresses::text() const {
  std::string text;
  for (const Daemon& daemon : daemons_) {
    if (!text.empty()) text += ", ";
    text += daemon.address;
  }
  return text;
}

}  // namespace stagedoor::server
