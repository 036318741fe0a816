#ifndef STAGEDOOR_SERVER_UPSTREAM_NODE_METRICS_H_
#define STAGEDOOR_SERVER_UPSTREAM_NODE_METRICS_H_

#include "server/metrics/metrics_collector.h"

namespace stagedoor::server {

class Node;

// The metrics of a node daemon, which must outlive the source.
MetricsSource MetricsOf(const Node& node);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_NODE_METRICS_H_
