#ifndef STAGEDOOR_SERVER_METRICS_PROCESS_USAGE_H_
#define STAGEDOOR_SERVER_METRICS_PROCESS_USAGE_H_

#include <cstdint>
#include <string>

#include "server/metrics/metric_families.h"

namespace stagedoor::server {

// The resources that the process uses. Unknown values are 0.
struct ProcessUsage {
  double cpu_seconds = 0;    // user and system
  double start_seconds = 0;  // since the Unix epoch
  uint64_t resident_bytes = 0;
  uint64_t virtual_bytes = 0;
  uint64_t threads = 0;
  uint64_t open_files = 0;
  uint64_t max_files = 0;
};

// Reads the usage of this process. `proc` is where the proc file system is mounted.
ProcessUsage ReadProcessUsage(const std::string& proc);

// Adds the metrics, under the names that all Prometheus clients use.
void AddProcess(const ProcessUsage& usage, MetricFamilies* families);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_PROCESS_USAGE_H_
