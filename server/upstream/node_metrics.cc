#include "server/upstream/node_metrics.h"

#include <string>
#include <utility>

#include "server/metrics/metric_families.h"
#include "server/upstream/node.h"

namespace stagedoor::server {
namespace {

void AddLookups(const UpstreamCounters& counters, MetricFamilies* families) {
  auto family =
      NewFamily("stagedoor_node_replies_total", "Calls, by where their replies came from.",
                prometheus::MetricType::Counter);
  const uint64_t disk_hits = counters.disk_hits;
  for (const auto& [source, count] :
       {std::pair("memory", counters.hits.load()), std::pair("disk", disk_hits),
        std::pair("shared", counters.shared.load()),
        std::pair("fetched", counters.misses.load() - disk_hits),
        std::pair("passed", counters.passed.load())}) {
    auto& metric = family.metric.emplace_back();
    metric.label = {{"source", source}};
    metric.counter.value = static_cast<double>(count);
  }
  families->push_back(std::move(family));
}

void AddNode(const Node& node, MetricFamilies* families) {
  const UpstreamCounters& counters = node.counters();
  AddLookups(counters, families);
  AddGauge("stagedoor_node_reply_bytes", "Bytes of replies in memory.", node.replies().bytes(),
           families);
  AddGauge("stagedoor_node_reply_budget_bytes", "Maximum bytes of replies in memory.",
           node.replies().max_bytes(), families);
  if (const ReplyFiles* const files = node.files()) {
    AddGauge("stagedoor_node_file_bytes", "Bytes of replies on disk.", files->bytes(), families);
    AddGauge("stagedoor_node_file_budget_bytes", "Maximum bytes of replies on disk.",
             files->max_bytes(), families);
  }
  AddGauge("stagedoor_node_handles", "Stage handles held by processes.", node.sessions().handles(),
           families);
  AddGauge("stagedoor_node_stages", "Leases on stages of upstream daemons.",
           node.sessions().stages(), families);
  AddCounter("stagedoor_node_evictions_total", "Replies evicted to stay within the budget.",
             counters.evictions.load(), families);
  AddCounter("stagedoor_node_received_bytes_total", "Bytes of messages from upstream daemons.",
             counters.received_bytes.load(), families);
  AddCounter("stagedoor_node_saved_bytes_total",
             "Bytes of messages to processes that were not received for them.",
             counters.saved_bytes.load(), families);
  AddCounter("stagedoor_node_upstream_calls_total", "Attempts of calls of upstream daemons.",
             counters.calls.load(), families);
  AddCounter("stagedoor_node_upstream_retries_total", "Attempts that repeated a failed one.",
             counters.retries.load(), families);
  AddCounter("stagedoor_node_upstream_failures_total",
             "Calls of upstream daemons that failed with all their attempts.",
             counters.failures.load(), families);
  AddCounter("stagedoor_node_reopens_total",
             "Stages opened again because an upstream daemon had lost them.",
             counters.reopens.load(), families);
}

}  // namespace

MetricsSource MetricsOf(const Node& node) {
  return [&node](MetricFamilies* families) { AddNode(node, families); };
}

}  // namespace stagedoor::server
