#include "server/metrics/metrics_collector.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/interned_bytes.h"
#include "base/lru_cache.h"
#include "scene/clips/clip_environment.h"
#include "scene/engine/remote_backends.h"
#include "server/rpc/call_admission.h"
#include "server/stages/stage_follower.h"

namespace stagedoor::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Families = std::vector<MetricFamily>;

MetricFamily Family(std::string name, std::string help, MetricType type) {
  MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  return family;
}

template <typename T>
void AddGauge(std::string name, std::string help, T value, Families* families) {
  MetricFamily family = Family(std::move(name), std::move(help), MetricType::Gauge);
  family.metric.emplace_back().gauge.value = static_cast<double>(value);
  families->push_back(std::move(family));
}

template <typename T>
void AddCounter(std::string name, std::string help, T value, Families* families) {
  MetricFamily family = Family(std::move(name), std::move(help), MetricType::Counter);
  family.metric.emplace_back().counter.value = static_cast<double>(value);
  families->push_back(std::move(family));
}

void AddLru(const std::string& prefix, const LruCacheStats& stats, Families* families) {
  AddGauge(prefix + "_bytes", "Bytes held by the cache.", stats.bytes, families);
  AddGauge(prefix + "_budget_bytes", "Size in bytes above which unused entries are evicted.",
           stats.max_bytes, families);
  AddCounter(prefix + "_hits_total", "Look-ups that found an entry.", stats.hits, families);
  AddCounter(prefix + "_misses_total", "Look-ups that found no entry.", stats.misses, families);
  AddCounter(prefix + "_evictions_total", "Entries evicted to stay within the budget.",
             stats.evictions, families);
  AddCounter(prefix + "_opens_total", "Entries opened.", stats.loads, families);
  AddCounter(prefix + "_open_failures_total", "Entries that could not be opened.",
             stats.load_failures, families);
}

std::string CodeName(size_t code) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

// Converts to Prometheus buckets, which are cumulative.
ClientMetric Latency(const MethodCounters& counters) {
  ClientMetric metric;
  metric.label = {{"method", counters.name}};
  uint64_t count = 0;
  for (size_t i = 0; i < counters.by_latency.size(); ++i) {
    count += static_cast<uint64_t>(counters.by_latency[i].load(std::memory_order_relaxed));
    if (i == MethodCounters::kLatencySeconds.size()) break;
    metric.histogram.bucket.push_back({count, MethodCounters::kLatencySeconds[i]});
  }
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum =
      1e-9 * static_cast<double>(counters.nanoseconds.load(std::memory_order_relaxed));
  return metric;
}

}  // namespace

std::vector<MetricFamily> MetricsCollector::Collect() const {
  Families families;
  if (state_.admission != nullptr) AddCalls(&families);
  AddGauge("stagedoor_stages_open", "Stages held in memory.", state_.stages.Stats().entries,
           &families);
  AddGauge("stagedoor_leases", "Stage handles held by clients.", state_.leases.size(), &families);
  const LruCacheStats layers = state_.layers.Stats();
  AddGauge("stagedoor_layers_open", "Layers in the layer cache.", layers.entries, &families);
  AddLru("stagedoor_layer_cache", layers, &families);
  AddLru("stagedoor_stage_cache", state_.stages.Stats(), &families);
  AddGauge("stagedoor_interned_bytes",
           "Bytes of names, and of paths in layers, kept until the daemon exits.",
           InternedBytes::used(), &families);
  AddGauge("stagedoor_interned_limit_bytes", "Limit of stagedoor_interned_bytes; 0 means no limit.",
           InternedBytes::limit(), &families);
  AddClips(&families);
  AddRemote(&families);
  AddFollow(&families);
  return families;
}

void MetricsCollector::AddCalls(Families* families) const {
  MetricFamily calls = Family("stagedoor_requests_total", "Finished calls, by method and status.",
                              MetricType::Counter);
  MetricFamily latency = Family("stagedoor_request_seconds",
                                "Duration of finished calls, by method.", MetricType::Histogram);
  for (const MethodCounters* counters : state_.admission->AllCounters()) {
    for (size_t code = 0; code < counters->by_status.size(); ++code) {
      const int64_t count = counters->by_status[code].load(std::memory_order_relaxed);
      if (count == 0) continue;
      ClientMetric& metric = calls.metric.emplace_back();
      metric.label = {{"method", counters->name}, {"status", CodeName(code)}};
      metric.counter.value = static_cast<double>(count);
    }
    latency.metric.push_back(Latency(*counters));
  }
  families->push_back(std::move(calls));
  families->push_back(std::move(latency));
  AddGauge("stagedoor_requests_in_flight", "Calls in flight.", state_.admission->calls_in_flight(),
           families);
  AddGauge("stagedoor_requests_bytes", "Bytes reserved by calls in flight.",
           state_.admission->bytes().used(), families);
  AddGauge("stagedoor_requests_budget_bytes", "Maximum bytes that calls in flight may reserve.",
           state_.admission->bytes().limit(), families);
  AddCounter("stagedoor_requests_cut_off_total",
             "Calls aborted because their clients did not read messages.",
             state_.admission->stall_watchdog().aborted_calls(), families);
}

void MetricsCollector::AddRemote(Families* families) const {
  if (state_.remote == nullptr || state_.remote->cache() == nullptr) return;
  const BlockCacheStats cache = state_.remote->cache()->Stats();
  AddGauge("stagedoor_remote_cache_bytes", "Bytes of remote assets in the cache.", cache.bytes,
           families);
  AddGauge("stagedoor_remote_cache_budget_bytes", "Maximum bytes of remote assets in the cache.",
           cache.max_bytes, families);
  AddGauge("stagedoor_remote_cache_open_files", "Remote assets that are open.", cache.open_files,
           families);
  AddCounter("stagedoor_remote_cache_hits_total", "Blocks found in the cache.", cache.found_blocks,
             families);
  AddCounter("stagedoor_remote_cache_misses_total", "Blocks fetched from their origins.",
             cache.fetched_blocks, families);
  AddCounter("stagedoor_remote_cache_damaged_total",
             "Blocks in the cache that did not have their checksums.", cache.damaged_blocks,
             families);
  AddCounter("stagedoor_remote_cache_evictions_total",
             "Remote assets evicted to stay within the budget.", cache.evictions, families);
  const HttpClient* const client = state_.remote->http_client();
  if (client == nullptr) return;
  const HttpStatistics http = client->statistics();
  AddCounter("stagedoor_remote_http_requests_total",
             "HTTP requests to origins, with retries and redirects.", http.requests, families);
  AddCounter("stagedoor_remote_http_retries_total", "HTTP requests that repeated a failed one.",
             http.retries, families);
  AddCounter("stagedoor_remote_http_connections_total", "Connections opened to origins.",
             http.connections, families);
  AddCounter("stagedoor_remote_http_bytes_total", "Bytes received from origins.",
             http.bytes_received, families);
  MetricFamily failures = Family("stagedoor_remote_http_failures_total",
                                 "Failed HTTP requests, by kind.", MetricType::Counter);
  for (size_t kind = 0; kind < http.failures.size(); ++kind) {
    ClientMetric& metric = failures.metric.emplace_back();
    metric.label = {{"kind", std::string(HttpFailureKindName(static_cast<HttpFailureKind>(kind)))}};
    metric.counter.value = static_cast<double>(http.failures[kind]);
  }
  families->push_back(std::move(failures));
}

void MetricsCollector::AddFollow(Families* families) const {
  if (state_.follower == nullptr) return;
  const StageFollower::Stats stats = state_.follower->GetStats();
  AddGauge("stagedoor_follow_stages", "Snapshots whose assets are followed.", stats.stages,
           families);
  AddGauge("stagedoor_follow_watched_assets", "Followed assets whose changes are reported.",
           stats.watched_assets, families);
  AddGauge("stagedoor_follow_polled_assets", "Followed assets whose versions are polled.",
           stats.polled_assets, families);
  AddCounter("stagedoor_follow_changes_total", "Reported changes of followed assets.",
             stats.changes, families);
  AddCounter("stagedoor_follow_reopens_total", "Snapshots published because assets changed.",
             stats.reopens, families);
  AddCounter("stagedoor_follow_failures_total",
             "Failed attempts to publish a snapshot because assets changed.", stats.failures,
             families);
}

void MetricsCollector::AddClips(Families* families) const {
  ClipEnvironment* clips = state_.stages.environment().clips;
  if (clips == nullptr) return;
  const ClipCacheStats stats = clips->cache().Stats();
  AddGauge("stagedoor_clip_cache_bytes", "Bytes of open clip layers, including mapped files.",
           stats.bytes, families);
  AddGauge("stagedoor_clip_cache_budget_bytes", "Maximum bytes of open clip layers.",
           stats.max_bytes, families);
  AddGauge("stagedoor_clip_cache_open_files", "Open clip layers.", stats.layers, families);
  AddGauge("stagedoor_clip_cache_budget_files", "Maximum number of open clip layers.",
           stats.max_layers, families);
  AddGauge("stagedoor_clip_cache_missing_files", "Clip files whose latest attempt to open failed.",
           stats.missing, families);
  AddGauge("stagedoor_clip_cache_pinned_layers", "Clip layers being read.", stats.pinned_layers,
           families);
  AddCounter("stagedoor_clip_cache_hits_total", "Reads of clip layers that were open.", stats.hits,
             families);
  AddCounter("stagedoor_clip_cache_misses_total", "Reads that waited for a clip layer to open.",
             stats.misses, families);
  AddCounter("stagedoor_clip_cache_evictions_total",
             "Clip layers evicted to stay within the budget.", stats.evictions, families);
  AddCounter("stagedoor_clip_cache_opens_total", "Clip layers opened.", stats.opens, families);
  AddCounter("stagedoor_clip_cache_open_failures_total", "Clip layers that could not be opened.",
             stats.open_failures, families);
  AddCounter("stagedoor_clip_cache_negative_hits_total",
             "Reads answered with a remembered failure.", stats.negative_hits, families);
  AddCounter("stagedoor_clip_cache_prefetches_total", "Clip layers opened ahead of reads.",
             stats.prefetches, families);
}

}  // namespace stagedoor::server
