#ifndef STAGEDOOR_SERVER_QUERY_STREAM_REFUSED_STREAM_H_
#define STAGEDOOR_SERVER_QUERY_STREAM_REFUSED_STREAM_H_

#include <grpcpp/support/status.h>

#include <utility>

#include "server/query_stream/query_stream.h"

namespace stagedoor::server {

// A call of QueryChannelService that ends as it begins. Deletes itself when gRPC is done with it.
class RefusedStream final : public QueryReactor {
 public:
  explicit RefusedStream(grpc::Status status) { Finish(std::move(status)); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_STREAM_REFUSED_STREAM_H_
