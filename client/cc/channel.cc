#include "client/cc/channel.h"

#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "base/status_macros.h"
#include "client/cc/channel_security.h"
#include "client/cc/daemon_address.h"
#include "client/cc/proxy.h"

namespace stagedoor {

absl::Status CheckClientOptions(const ClientOptions& options) {
  SD_RETURN_IF_ERROR(CheckDaemonAddress(options.address));
  SD_RETURN_IF_ERROR(CheckProxy(options.proxy));
  return MakeChannelCredentials(options).status();
}

std::shared_ptr<grpc::Channel> MakeChannel(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  // Read once, because certificates are files.
  const auto credentials = MakeChannelCredentials(options).value_or(nullptr);
  const bool usable = credentials != nullptr && CheckDaemonAddress(options.address).ok() &&
                      CheckProxy(options.proxy).ok();
  if (!usable) return grpc::CreateCustomChannel("", nullptr, arguments);
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  // gRPC's reconnect backoff would otherwise grow to two minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // A host that vanishes closes no connections. The daemon allows a ping every 10 seconds.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  // No limit: a long call may be silent for minutes.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // gRPC would use a proxy of the environment, also for daemons in the same network.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, options.proxy.empty() ? 0 : 1);
  if (!options.proxy.empty() && options.proxy != "environment") {
    arguments.SetString(GRPC_ARG_HTTP_PROXY, options.proxy);
  }
  if (options.own_connection) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (!options.security.server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.security.server_name);
  }
  return grpc::CreateCustomChannel(options.address, credentials, arguments);
}

}  // namespace stagedoor
