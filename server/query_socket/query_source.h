#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_SOURCE_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_SOURCE_H_

#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

// Answers the queries of channels for a daemon that holds no scenes. An answer that is not there at
// once comes later, without a thread that waits for it. Thread-safe.
class QuerySource {
 public:
  // A query that was asked.
  class Pending {
   public:
    virtual ~Pending() = default;
    // Ends the query with CANCELLED, unless it has ended. Thread-safe.
    virtual void Cancel() = 0;
  };

  // Gets the bytes of a BatchGetValuesResponse, which it may take, or an error.
  using Done = std::function<void(const absl::Status&, grpc::ByteBuffer*)>;

  virtual ~QuerySource() = default;

  // Asks a query. Calls `done` once, on any thread, maybe before it returns, and destroys it then.
  virtual std::shared_ptr<Pending> Ask(const v1::BatchGetValuesRequest& request,
                                       std::chrono::system_clock::time_point deadline,
                                       Done done) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_SOURCE_H_
