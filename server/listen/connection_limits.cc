#include "server/listen/connection_limits.h"

#include <grpcpp/server_builder.h>

#include <algorithm>
#include <climits>

namespace stagedoor::server {
namespace {

// Clients that ask more often whether we are there are disconnected.
constexpr int kLeastPingIntervalMs = 10000;

// Names, tokens and trace context of one call.
constexpr int kMaxMetadataBytes = 32 << 10;

int Milliseconds(std::chrono::seconds seconds) {
  return static_cast<int>(std::min<int64_t>(seconds.count(), INT_MAX / 1000) * 1000);
}

}  // namespace

void ApplyConnectionLimits(const ConnectionLimits& limits, grpc::ServerBuilder& builder) {
  const auto set = [&builder](const char* name, std::chrono::seconds limit) {
    if (limit.count() > 0) builder.AddChannelArgument(name, Milliseconds(limit));
  };
  set(GRPC_ARG_MAX_CONNECTION_AGE_MS, limits.max_age);
  set(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, limits.age_grace);
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, limits.max_idle);
  set(GRPC_ARG_KEEPALIVE_TIME_MS, limits.keepalive);
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, limits.keepalive_timeout);
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, limits.handshake_timeout);
  if (limits.max_streams > 0) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.max_streams);
  }
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kLeastPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
}

}  // namespace stagedoor::server
