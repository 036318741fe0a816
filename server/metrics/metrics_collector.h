// MetricsCollector exposes the daemon's counters to Prometheus.
//
// Each scrape reads the counters that the server maintains anyway; docs/operations.md lists the
// metrics. Thread-safe. `state` must outlive it.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "server/handlers/server_state.h"

namespace stagedoor::server {

class MetricsCollector final : public prometheus::Collectable {
 public:
  explicit MetricsCollector(const ServerState& state) : state_(state) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void AddMethods(std::vector<prometheus::MetricFamily>* families) const;
  void AddConnections(std::vector<prometheus::MetricFamily>* families) const;
  void AddCalls(std::vector<prometheus::MetricFamily>* families) const;
  void AddSharing(std::vector<prometheus::MetricFamily>* families) const;
  void AddMemory(std::vector<prometheus::MetricFamily>* families) const;
  void AddClips(std::vector<prometheus::MetricFamily>* families) const;
  void AddRemote(std::vector<prometheus::MetricFamily>* families) const;
  void AddFollow(std::vector<prometheus::MetricFamily>* families) const;

  const ServerState& state_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_
