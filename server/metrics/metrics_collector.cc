#include "server/metrics/metrics_collector.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/interned_bytes.h"
#include "base/lru_cache.h"
#include "base/version.h"
#include "scene/clips/clip_environment.h"
#include "server/metrics/metric_families.h"
#include "server/metrics/process_usage.h"

namespace stagedoor::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Families = MetricFamilies;

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

// Adds a histogram to `metric`, whose buckets are cumulative.
void AddTo(ClientMetric& metric, const LatencyHistogram& histogram) {
  auto& buckets = metric.histogram.bucket;
  buckets.resize(LatencyHistogram::kBounds.size());
  uint64_t count = 0;
  for (size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
    count += static_cast<uint64_t>(histogram.count(i));
    if (i == buckets.size()) break;
    buckets[i].upper_bound = static_cast<double>(LatencyHistogram::kBounds[i]) / 1e9;
    buckets[i].cumulative_count += count;
  }
  metric.histogram.sample_count += count;
  metric.histogram.sample_sum += static_cast<double>(histogram.sum().count()) / 1e9;
}

ClientMetric Latency(const MethodCounters& counters) {
  ClientMetric metric;
  metric.label = {{"method", counters.name}};
  AddTo(metric, counters.latency);
  return metric;
}

ClientMetric Bytes(const std::string& method, uint64_t bytes) {
  ClientMetric metric;
  metric.label = {{"method", method}};
  metric.counter.value = static_cast<double>(bytes);
  return metric;
}

// A gauge that is always 1, for the version in its label.
MetricFamily BuildInfo() {
  MetricFamily family =
      NewFamily("stagedoor_build_info", "The version of the daemon; always 1.", MetricType::Gauge);
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = {{"version", kVersion}};
  metric.gauge.value = 1;
  return family;
}

void AddSharing(const SessionSharing& sharing, Families* families) {
  const SessionSharing::Stats stats = sharing.GetStats();
  AddGauge("stagedoor_shared_sessions", "Sessions that other replicas can serve as well.",
           stats.sessions, families);
  AddCounter("stagedoor_restored_leases_total",
             "Leases of other replicas that this one has taken over.", stats.restored_leases,
             families);
  AddCounter("stagedoor_session_store_calls_total", "Calls of the session store.",
             stats.store_calls, families);
  AddCounter("stagedoor_session_store_failures_total",
             "Calls that failed because the session store could not be reached.",
             stats.store_failures, families);
}

void AddWarmUp(const WarmUp& warm_up, Families* families) {
  const WarmUp::Stats stats = warm_up.GetStats();
  MetricFamily stages =
      NewFamily("stagedoor_warm_up_stages_total",
                "Stages that were to be opened before the daemon was ready.", MetricType::Counter);
  for (const auto& [result, count] :
       {std::pair("warmed", stats.warmed), std::pair("failed", stats.failed),
        std::pair("skipped", stats.skipped)}) {
    ClientMetric& metric = stages.metric.emplace_back();
    metric.label = {{"result", result}};
    metric.counter.value = static_cast<double>(count);
  }
  families->push_back(std::move(stages));
}

void AddMemory(const MemoryPressure& memory, Families* families) {
  AddGauge("stagedoor_memory_bytes", "Memory in use without mapped files.", memory.used(),
           families);
  AddGauge("stagedoor_memory_soft_limit_bytes", "Memory in use above which caches are emptied.",
           memory.limits().soft_bytes, families);
  AddGauge("stagedoor_memory_hard_limit_bytes",
           "Memory in use above which requests get no more memory.", memory.limits().hard_bytes,
           families);
  AddGauge("stagedoor_memory_level",
           "0: normal; 1: no heavy calls and no new stages; 2: only light calls.",
           static_cast<uint64_t>(memory.level()), families);
  MetricFamily emptied =
      NewFamily("stagedoor_memory_releases_total",
                "How often a cache was emptied because memory was short.", MetricType::Counter);
  for (size_t i = 0; i < memory.steps(); ++i) {
    ClientMetric& metric = emptied.metric.emplace_back();
    metric.label = {{"cache", std::string(memory.step_name(i))}};
    metric.counter.value = static_cast<double>(memory.releases(i));
  }
  families->push_back(std::move(emptied));
}

}  // namespace

MetricsSource MetricsOf(const SessionSharing& sharing) {
  return [&sharing](Families* families) { AddSharing(sharing, families); };
}

MetricsSource MetricsOf(const WarmUp& warm_up) {
  return [&warm_up](Families* families) { AddWarmUp(warm_up, families); };
}

MetricsSource MetricsOf(const MemoryPressure& memory) {
  return [&memory](Families* families) { AddMemory(memory, families); };
}

std::vector<MetricFamily> MetricsCollector::Collect() const {
  Families families = {BuildInfo()};
  AddProcess(ReadProcessUsage("/proc"), &families);
  AddConnections(&families);
  AddCalls(&families);
  AddGauge("stagedoor_stages_open", "Stages held in memory.", objects_.stages.Stats().entries,
           &families);
  AddGauge("stagedoor_leases", "Stage handles held by clients.", objects_.leases.size(), &families);
  const LruCacheStats layers = objects_.layers.Stats();
  AddGauge("stagedoor_layers_open", "Layers in the layer cache.", layers.entries, &families);
  AddLru("stagedoor_layer_cache", layers, &families);
  AddLru("stagedoor_stage_cache", objects_.stages.Stats(), &families);
  AddLru("stagedoor_path_sets", objects_.path_sets.Stats(), &families);
  AddLru("stagedoor_frames", objects_.frames.Stats(), &families);
  AddGauge("stagedoor_interned_bytes",
           "Bytes of names, and of paths in layers, kept until the daemon exits.",
           InternedBytes::used(), &families);
  AddGauge("stagedoor_interned_limit_bytes", "Limit of stagedoor_interned_bytes; 0 means no limit.",
           InternedBytes::limit(), &families);
  for (const MetricsSource& source : more_) source(&families);
  AddClips(&families);
  AddRemote(&families);
  AddFollow(&families);
  return families;
}

void MetricsCollector::AddMethods(Families* families) const {
  MetricFamily calls = NewFamily("stagedoor_requests_total",
                                 "Finished calls, by method and status.", MetricType::Counter);
  MetricFamily latency = NewFamily("stagedoor_request_seconds",
                                   "Duration of finished calls, by method.", MetricType::Histogram);
  MetricFamily waits = NewFamily("stagedoor_request_queue_seconds",
                                 "Time from the arrival of finished calls to their first step.",
                                 MetricType::Histogram);
  waits.metric.emplace_back();
  MetricFamily in =
      NewFamily("stagedoor_request_received_bytes_total",
                "Bytes of the requests of finished calls, by method.", MetricType::Counter);
  MetricFamily out =
      NewFamily("stagedoor_request_sent_bytes_total",
                "Bytes of the messages sent by finished calls, by method.", MetricType::Counter);
  for (const MethodCounters* counters : objects_.admission.AllCounters()) {
    for (size_t code = 0; code < counters->by_status.size(); ++code) {
      const int64_t count = counters->by_status[code].load(std::memory_order_relaxed);
      if (count == 0) continue;
      ClientMetric& metric = calls.metric.emplace_back();
      metric.label = {{"method", counters->name}, {"status", CodeName(code)}};
      metric.counter.value = static_cast<double>(count);
    }
    latency.metric.push_back(Latency(*counters));
    AddTo(waits.metric.front(), counters->queue_time);
    in.metric.push_back(Bytes(counters->name, counters->bytes_in));
    out.metric.push_back(Bytes(counters->name, counters->bytes_out));
  }
  for (MetricFamily* family : {&calls, &latency, &waits, &in, &out}) {
    families->push_back(std::move(*family));
  }
}

void MetricsCollector::AddConnections(Families* families) const {
  AddGauge("stagedoor_connections", "Open connections of clients.",
           objects_.connections.CountOpen(), families);
  AddGauge("stagedoor_connections_limit", "Maximum number of open connections of clients.",
           objects_.connections.max(), families);
  AddCounter("stagedoor_connections_refused_total",
             "Connections closed at once because too many were open.",
             objects_.connections.refused(), families);
}

void MetricsCollector::AddCalls(Families* families) const {
  AddMethods(families);
  MetricFamily refused = NewFamily("stagedoor_refused_calls_total",
                                   "Calls refused for lack of a resource, by what was exhausted.",
                                   MetricType::Counter);
  for (size_t i = 0; i < RefusalCounters::kReasons.size(); ++i) {
    ClientMetric& metric = refused.metric.emplace_back();
    metric.label = {{"reason", std::string(RefusalCounters::kReasons[i])}};
    metric.counter.value = static_cast<double>(objects_.admission.refusals().count(i));
  }
  families->push_back(std::move(refused));
  MetricFamily waiting = NewFamily(
      "stagedoor_requests_waiting",
      "Calls and steps of streams that wait for a thread, by priority class.", MetricType::Gauge);
  for (size_t i = 0; i < kPriorityClassNames.size(); ++i) {
    ClientMetric& metric = waiting.metric.emplace_back();
    metric.label = {{"priority", std::string(kPriorityClassNames[i])}};
    metric.gauge.value =
        static_cast<double>(objects_.admission.queue().waiting(static_cast<PriorityClass>(i)));
  }
  families->push_back(std::move(waiting));
  AddGauge("stagedoor_requests_in_flight", "Calls in flight.", objects_.admission.calls_in_flight(),
           families);
  AddGauge("stagedoor_watches", "Calls that watch a stage.", objects_.watches.size(), families);
  AddGauge("stagedoor_requests_bytes", "Bytes reserved by calls in flight.",
           objects_.admission.bytes().used(), families);
  AddGauge("stagedoor_requests_budget_bytes", "Maximum bytes that calls in flight may reserve.",
           objects_.admission.bytes().limit(), families);
  AddCounter("stagedoor_requests_cut_off_total",
             "Calls aborted because their clients did not read messages.",
             objects_.admission.stall_watchdog().aborted_calls(), families);
}

void MetricsCollector::AddRemote(Families* families) const {
  if (objects_.remote.cache() == nullptr) return;
  const BlockCacheStats cache = objects_.remote.cache()->Stats();
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
  const HttpClient* const client = objects_.remote.http_client();
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
  MetricFamily failures = NewFamily("stagedoor_remote_http_failures_total",
                                    "Failed HTTP requests, by kind.", MetricType::Counter);
  for (size_t kind = 0; kind < http.failures.size(); ++kind) {
    ClientMetric& metric = failures.metric.emplace_back();
    metric.label = {{"kind", std::string(HttpFailureKindName(static_cast<HttpFailureKind>(kind)))}};
    metric.counter.value = static_cast<double>(http.failures[kind]);
  }
  families->push_back(std::move(failures));
}

void MetricsCollector::AddFollow(Families* families) const {
  const SessionFollower::Stats stats = objects_.follower.GetStats();
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
  ClipEnvironment* clips = objects_.stages.environment().clips;
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
