#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_OWNER_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_OWNER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/caller.h"
#include "server/query_socket/channel_host.h"
#include "server/query_socket/channel_segments.h"
#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

class QueryCall;

// The channel of a query, as the query needs it. Thread-safe.
class QueryOwner {
 public:
  virtual ~QueryOwner() = default;

  virtual ChannelHost& host() = 0;
  virtual ChannelSegments& segments() = 0;
  // Differs from that of other channels.
  virtual uint64_t number() const = 0;
  // The address of the client, as gRPC writes it.
  virtual std::string_view peer() const = 0;
  // Whether answers may refer to segments of shared memory.
  virtual bool shares_memory() const = 0;
  // The caller, if they may make queries.
  virtual absl::StatusOr<std::shared_ptr<const Caller>> Identify() = 0;

  // Keeps a query that cannot be answered at once until Release. RESOURCE_EXHAUSTED if there are
  // too many; INVALID_ARGUMENT if another one has its ID.
  virtual absl::Status Keep(const std::shared_ptr<QueryCall>& call) = 0;
  virtual void Release(uint64_t id) = 0;

  // Adds a frame to those that are to be sent. RESOURCE_EXHAUSTED if the channel has too much
  // memory.
  virtual absl::Status Send(const v1::ServerFrame& frame) = 0;
  // As Send, for a frame without values, regardless of the memory.
  virtual void SendSmall(const v1::ServerFrame& frame) = 0;
  // Sends frames that were added by another thread than the one that reads the channel.
  virtual void Flush() = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_OWNER_H_
