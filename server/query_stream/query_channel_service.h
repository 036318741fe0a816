#ifndef STAGEDOOR_SERVER_QUERY_STREAM_QUERY_CHANNEL_SERVICE_H_
#define STAGEDOOR_SERVER_QUERY_STREAM_QUERY_CHANNEL_SERVICE_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

namespace stagedoor::server {

class QueryStreams;

// Makes the gRPC service of query frames. `streams` must outlive it.
std::unique_ptr<grpc::Service> MakeQueryChannelService(QueryStreams& streams);
// Makes the service of a node daemon, whose method is UNIMPLEMENTED.
std::unique_ptr<grpc::Service> MakeUnimplementedQueryChannelService();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_STREAM_QUERY_CHANNEL_SERVICE_H_
