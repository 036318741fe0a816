// MetricsCollector exposes the daemon's counters to Prometheus.
//
// Each scrape reads the counters that the server maintains anyway; docs/operations.md lists the
// metrics. Thread-safe. What it reads must outlive it.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <functional>
#include <utility>
#include <vector>

#include "scene/engine/remote_backends.h"
#include "scene/layer/layer_registry.h"
#include "server/frame_memory/frame_memory.h"
#include "server/listen/connection_counter.h"
#include "server/memory/memory_pressure.h"
#include "server/rpc/call_admission.h"
#include "server/sharing/session_sharing.h"
#include "server/sharing/warm_up.h"
#include "server/stages/lease_table.h"
#include "server/stages/path_set_store.h"
#include "server/stages/session_follower.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_watches.h"

namespace stagedoor::server {

// Adds the metrics of something that not every daemon has.
using MetricsSource = std::function<void(std::vector<prometheus::MetricFamily>*)>;
MetricsSource MetricsOf(const SessionSharing& sharing);
MetricsSource MetricsOf(const WarmUp& warm_up);
MetricsSource MetricsOf(const MemoryPressure& memory);

class MetricsCollector final : public prometheus::Collectable {
 public:
  // The objects that every daemon has.
  struct Objects {
    ConnectionCounter& connections;
    const CallAdmission& admission;
    const StageWatches& watches;
    const StageCache& stages;
    const LeaseTable& leases;
    const LayerRegistry& layers;
    const PathSetStore& path_sets;
    const FrameMemory& frames;
    const RemoteBackends& remote;
    const SessionFollower& follower;
  };
  MetricsCollector(const Objects& objects, std::vector<MetricsSource> more)
      : objects_(objects), more_(std::move(more)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void AddMethods(std::vector<prometheus::MetricFamily>* families) const;
  void AddConnections(std::vector<prometheus::MetricFamily>* families) const;
  void AddCalls(std::vector<prometheus::MetricFamily>* families) const;
  void AddClips(std::vector<prometheus::MetricFamily>* families) const;
  void AddRemote(std::vector<prometheus::MetricFamily>* families) const;
  void AddFollow(std::vector<prometheus::MetricFamily>* families) const;

  const Objects objects_;
  const std::vector<MetricsSource> more_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_COLLECTOR_H_
