#include "server/metrics/metrics_endpoint.h"

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include <exception>
#include <utility>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

// Of the embedded web server: few threads, short requests, nobody may stay connected and say
// nothing.
std::vector<std::string> ServerOptions(const std::string& address) {
  return {"listening_ports",  address, "num_threads",       "2",  "request_timeout_ms", "5000",
          "max_request_size", "8192",  "enable_keep_alive", "no", "connection_queue",   "16"};
}

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Start(
    const std::string& address, std::shared_ptr<prometheus::Collectable> metrics) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return InvalidArgumentError("the metrics address ", Quoted(address), " is not HOST:PORT");
  }
  // The library reports failures by exceptions.
  try {
    auto exposer = std::make_unique<prometheus::Exposer>(ServerOptions(address));
    exposer->RegisterCollectable(metrics);
    const std::vector<int> ports = exposer->GetListeningPorts();
    if (ports.empty()) return UnavailableError("can't listen on ", address);
    return std::unique_ptr<MetricsEndpoint>(
        new MetricsEndpoint(std::move(exposer), std::move(metrics),
                            Concat(address.substr(0, colon + 1), ports.front())));
  } catch (const std::exception& error) {
    return UnavailableError("can't listen on ", address, ": ", error.what());
  }
}

MetricsEndpoint::MetricsEndpoint(std::unique_ptr<prometheus::Exposer> exposer,
                                 std::shared_ptr<prometheus::Collectable> metrics,
                                 std::string address)
    : metrics_(std::move(metrics)), exposer_(std::move(exposer)), address_(std::move(address)) {}

MetricsEndpoint::~MetricsEndpoint() = default;

}  // namespace stagedoor
