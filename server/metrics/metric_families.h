#ifndef STAGEDOOR_SERVER_METRICS_METRIC_FAMILIES_H_
#define STAGEDOOR_SERVER_METRICS_METRIC_FAMILIES_H_

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

namespace stagedoor::server {

using MetricFamilies = std::vector<prometheus::MetricFamily>;

inline prometheus::MetricFamily NewFamily(std::string name, std::string help,
                                          prometheus::MetricType type) {
  return {.name = std::move(name), .help = std::move(help), .type = type, .metric = {}};
}

// Adds a gauge or a counter without labels.
template <typename T>
void AddGauge(std::string name, std::string help, T value, MetricFamilies* families) {
  auto family = NewFamily(std::move(name), std::move(help), prometheus::MetricType::Gauge);
  family.metric.emplace_back().gauge.value = static_cast<double>(value);
  families->push_back(std::move(family));
}

template <typename T>
void AddCounter(std::string name, std::string help, T value, MetricFamilies* families) {
  auto family = NewFamily(std::move(name), std::move(help), prometheus::MetricType::Counter);
  family.metric.emplace_back().counter.value = static_cast<double>(value);
  families->push_back(std::move(family));
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRIC_FAMILIES_H_
