#ifndef STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/metrics/metrics_server.h"

namespace prometheus {
class Collectable;
}  // namespace prometheus

namespace stagedoor {

// Serves metrics in the Prometheus text format, from a thread apart from those of gRPC. Not for the
// open network: no authentication, no encryption.
class MetricsEndpoint {
 public:
  // `address` is HOST:PORT; port 0 takes a free one. UNAVAILABLE, with the reason, when it can't be
  // had.
  static absl::StatusOr<std::unique_ptr<MetricsEndpoint>> Start(
      const std::string& address, std::shared_ptr<prometheus::Collectable> metrics);

  // With the port that was chosen.
  const std::string& address() const { return address_; }

 private:
  MetricsEndpoint(std::unique_ptr<MetricsServer> server, std::string address)
      : server_(std::move(server)), address_(std::move(address)) {}

  const std::unique_ptr<MetricsServer> server_;
  const std::string address_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
