#include "server/metrics/metrics_endpoint.h"

#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "server/listen/listen_address.h"

namespace stagedoor::server {

namespace {

constexpr std::string_view kUnavailable = "503 Service Unavailable";
constexpr std::string_view kPrometheusText = "text/plain; version=0.0.4; charset=utf-8";

// The answer to a probe, given what is wrong.
HttpAnswer ProbeAnswer(const std::optional<std::string>& why_not) {
  if (!why_not.has_value()) return {.body = "ok\n"};
  return {.status = kUnavailable, .body = *why_not + "\n"};
}

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Start(const std::string& address,
                                                                        const HealthState& health,
                                                                        HttpStreams streams) {
  const auto parsed = ListenAddress::Parse(address);
  if (!parsed.ok() || parsed->is_unix()) {
    return InvalidArgumentError("the metrics address ", Quoted(address), " is not HOST:PORT");
  }
  std::unique_ptr<MetricsEndpoint> endpoint(new MetricsEndpoint());
  HttpRoutes routes{.pages = {}, .streams = std::move(streams)};
  routes.pages["/metrics"] = [endpoint = endpoint.get()] { return endpoint->Metrics(); };
  routes.pages["/healthz"] = [&health] { return ProbeAnswer(health.WhyNotAlive()); };
  routes.pages["/readyz"] = [&health] { return ProbeAnswer(health.WhyNotReady()); };
  auto server = MetricsServer::Start(parsed->host, parsed->port, std::move(routes));
  if (!server.ok()) {
    return Annotate(server.status(), Concat("cannot serve metrics on ", address));
  }
  endpoint->address_ = Concat(address.substr(0, address.rfind(':') + 1), (*server)->port());
  endpoint->server_ = *std::move(server);
  return endpoint;
}

void MetricsEndpoint::SetMetrics(std::shared_ptr<const prometheus::Collectable> metrics) {
  MutexLock lock(mu_);
  metrics_ = std::move(metrics);
}

HttpAnswer MetricsEndpoint::Metrics() const {
  std::shared_ptr<const prometheus::Collectable> metrics;
  {
    MutexLock lock(mu_);
    metrics = metrics_;
  }
  if (metrics == nullptr) return ProbeAnswer("starting");
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, metrics->Collect());
  return {.content_type = kPrometheusText, .body = text.str()};
}

}  // namespace stagedoor::server
