#ifndef STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/metrics/health_state.h"
#include "server/metrics/metrics_server.h"

namespace prometheus {
class Collectable;
}  // namespace prometheus

namespace stagedoor::server {

// Serves, on a separate thread from those of gRPC, what operators look at: /metrics in the
// Prometheus text format, and the probes /healthz and /readyz. Not meant for open networks: it
// does not encrypt, and authenticates nobody who looks at these.
class MetricsEndpoint {
 public:
  // `address` is HOST:PORT; port 0 picks a free port. `health` must outlive the endpoint. `streams`
  // are served there, too. UNAVAILABLE, with the reason, if it cannot listen there;
  // INVALID_ARGUMENT for a malformed address.
  static absl::StatusOr<std::unique_ptr<MetricsEndpoint>> Start(const std::string& address,
                                                                const HealthState& health,
                                                                HttpStreams streams = {});

  // Sets what /metrics shows. Before, it is answered with 503.
  void SetMetrics(std::shared_ptr<const prometheus::Collectable> metrics);

  // The address, with the chosen port.
  const std::string& address() const { return address_; }

 private:
  MetricsEndpoint() = default;
  HttpAnswer Metrics() const;

  mutable Mutex mu_;
  std::shared_ptr<const prometheus::Collectable> metrics_ ABSL_GUARDED_BY(mu_);
  std::string address_;
  std::unique_ptr<MetricsServer> server_;  // destroyed first, because it uses the others
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
