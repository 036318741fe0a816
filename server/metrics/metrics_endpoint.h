#ifndef STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/metrics/metrics_server.h"

namespace prometheus {
class Collectable;
}  // namespace prometheus

namespace stagedoor::server {

// Serves metrics in the Prometheus text format on a separate thread from those of gRPC. Not meant
// for open networks: there is no authentication or encryption.
class MetricsEndpoint {
 public:
  // `address` is HOST:PORT; port 0 picks a free port. UNAVAILABLE, with the reason, if it cannot
  // listen there; INVALID_ARGUMENT for a malformed address.
  static absl::StatusOr<std::unique_ptr<MetricsEndpoint>> Start(
      const std::string& address, std::shared_ptr<prometheus::Collectable> metrics);

  // The address, with the chosen port.
  const std::string& address() const { return address_; }

 private:
  MetricsEndpoint(std::unique_ptr<MetricsServer> server, std::string address)
      : server_(std::move(server)), address_(std::move(address)) {}

  const std::unique_ptr<MetricsServer> server_;
  const std::string address_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
