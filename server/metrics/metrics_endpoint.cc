#include "server/metrics/metrics_endpoint.h"

#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

#include "base/status.h"
#include "server/listen/listen_address.h"

namespace stagedoor::server {

absl::StatusOr<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Start(
    const std::string& address, std::shared_ptr<prometheus::Collectable> metrics) {
  const auto parsed = ListenAddress::Parse(address);
  if (!parsed.ok() || parsed->is_unix()) {
    return InvalidArgumentError("the metrics address ", Quoted(address), " is not HOST:PORT");
  }
  auto server = MetricsServer::Start(parsed->host, parsed->port, [metrics = std::move(metrics)] {
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, metrics->Collect());
    return text.str();
  });
  if (!server.ok()) {
    return Annotate(server.status(), Concat("cannot serve metrics on ", address));
  }
  const int port = (*server)->port();
  return std::unique_ptr<MetricsEndpoint>(new MetricsEndpoint(
      *std::move(server), Concat(address.substr(0, address.rfind(':') + 1), port)));
}

}  // namespace stagedoor::server
