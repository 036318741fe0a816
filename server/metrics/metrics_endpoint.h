// MetricsEndpoint: answers GET /metrics over plain HTTP with the Prometheus text format.
//
// Has threads of its own, apart from those of gRPC. Not for the open network: no authentication, no
// encryption. Destruction stops it and may take a second.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace prometheus {
class Collectable;
class Exposer;
}  // namespace prometheus

namespace stagedoor {

class MetricsEndpoint {
 public:
  // `address` is HOST:PORT; port 0 takes a free one. UNAVAILABLE when it can't be had.
  static absl::StatusOr<std::unique_ptr<MetricsEndpoint>> Start(
      const std::string& address, std::shared_ptr<prometheus::Collectable> metrics);
  ~MetricsEndpoint();
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  // With the port that was chosen.
  const std::string& address() const { return address_; }

 private:
  MetricsEndpoint(std::unique_ptr<prometheus::Exposer> exposer,
                  std::shared_ptr<prometheus::Collectable> metrics, std::string address);

  const std::shared_ptr<prometheus::Collectable> metrics_;
  const std::unique_ptr<prometheus::Exposer> exposer_;
  const std::string address_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_ENDPOINT_H_
