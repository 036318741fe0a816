#ifndef STAGEDOOR_CLIENT_CC_CLIENT_OPTIONS_H_
#define STAGEDOOR_CLIENT_CC_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "client/cc/security_options.h"

namespace stagedoor {

class PrivateDaemon;

// How the small queries of one client travel together (see Client).
struct CoalescingOptions {
  bool enabled = true;
  // How long a query waits for others while a call for its stage is in flight. A query that finds
  // no call in flight does not wait.
  std::chrono::microseconds window{30};
  // Maximum number of queries in a call.
  size_t max_queries = 64;
};

// The settings of a Client.
struct ClientOptions {
  // "HOST:PORT" or "unix:PATH".
  std::string address;
  // Deadline of each call, retries included.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  // A call that cannot reach the daemon is retried until its deadline, so that callers do not
  // notice a restart of the daemon. While no daemon has ever answered this client, a call is
  // retried for this long only, because the address may be wrong. Default: 10 seconds, at most
  // reconnect_timeout, and not at all if nothing listens at an address of this machine. Set it to
  // wait for a daemon that is about to start.
  std::optional<std::chrono::milliseconds> connect_timeout = std::nullopt;
  // How long a call is retried while a daemon that has answered before cannot be reached. Default:
  // until the call's deadline.
  std::optional<std::chrono::milliseconds> reconnect_timeout = std::nullopt;
  // Maximum number of attempts of a call that the daemon rejects with UNAVAILABLE or a RetryInfo.
  int max_attempts = 4;
  // The backoff between attempts doubles from the initial to the maximum one.
  std::chrono::milliseconds initial_backoff{50};
  std::chrono::milliseconds max_backoff{1000};
  // Maximum size of a request or a reply message.
  int max_message_bytes = 512 << 20;
  // Maximum bytes of arrays that follow one message of a stream in chunks, and of a message that
  // comes in fragments (see streams.proto). A stream that exceeds it ends with RESOURCE_EXHAUSTED.
  size_t max_assembled_bytes = size_t{4} << 30;
  // Whether sinks get whole messages with whole arrays. If false, they get each message of a stream
  // as it arrives, with chunks and fragments in `stream_parts`.
  bool assemble_arrays = true;
  // Whether OpenStage and calls for a stage carry the routing key of its root layer as metadata
  // (RoutingKeyOf). Set it if a proxy routes by it; without a proxy, it only makes small calls
  // slower, by 5 to 10 percent.
  bool send_routing_keys = false;
  // The URL of an HTTP proxy to connect through, such as "http://proxy:3128", or "environment" for
  // the one that http_proxy and the like name. Default: none, whatever the environment says,
  // because daemons are mostly in the same network.
  std::string proxy;
  // Whether the client has a connection of its own, instead of one that it shares with other
  // clients of the address in the same process.
  bool own_connection = false;
  CoalescingOptions coalescing;
  // Whether small BatchGetValues requests use the query socket of a daemon whose address is a Unix
  // socket, if it offers one (stagedoord --query-socket): several times as fast as gRPC. A client
  // with a token does not use it.
  bool query_socket = true;
  // Whether asynchronous ones, and others that are made meanwhile, use a stream of query frames
  // otherwise, if the daemon offers that (QueryChannelService): a part of the processor time of
  // calls. A client that sends routing keys does not use it.
  bool query_stream = true;
  SecurityOptions security;
  // The daemon at the address, if it is to be started when it is needed, and again if it has ended.
  // Null for any other. The first call takes as long as its start.
  std::shared_ptr<const PrivateDaemon> private_daemon = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CLIENT_OPTIONS_H_
