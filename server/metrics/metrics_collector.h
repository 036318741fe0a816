// MetricsCollector exposes the daemon's counters to Prometheus.
//
// Each scrape reads the counters that the server maintains anyway; docs/operations.md lists the
// metrics. Thread-safe. What it reads must outlive it.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "server/handlers/server_state.h"
#include "server/handlers/warm_up.h"

namespace stagedoor::server {

class MetricsCollector final : public prometheus::Collectable {
 public:
  // `warm_up` is null if there is none.
  MetricsCollector(const ServerState& state, const WarmUp* warm_up)
      : state_(state), warm_up_(warm_up) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void AddMethods(std::vector<prometheus::MetricFamily>* families) const;
  void AddConnections(std::vector<prometheus::MetricFamily>* families) const;
  void AddCalls(std::vector<prometheus::MetricFamily>* families) const;
  void AddSharing(std::vector<prometheus::MetricFamily>* families) const;
  void AddWarmUp(std::vector<prometheus::MetricFamily>* families) const;
  void AddMemory(std::vector<prometheus::MetricFamily>* families) const;
  void AddClips(std::vector<prometheus::MetricFamily>* families) const;
  void AddRemote(std::vector<prometheus::MetricFamily>* families) const;
  void AddFollow(std::vector<prometheus::MetricFamily>* families) const;

  const ServerState& state_;
  const WarmUp* const warm_up_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_
