#ifndef STAGEDOOR_SERVER_QUERY_STREAM_QUERY_STREAMS_H_
#define STAGEDOOR_SERVER_QUERY_STREAM_QUERY_STREAMS_H_

#include <grpcpp/server_context.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/query_socket/channel_host.h"
#include "server/query_stream/query_stream.h"
#include "server/stages/client_places.h"

namespace stagedoor::server {

// The gRPC calls of a daemon that carry query frames (QueryChannelService), the counterpart of
// QuerySocket. Thread-safe. Outlives the calls, and the queries that the lanes still run.
class QueryStreams {
 public:
  struct Options {
    // Beyond them, a call is refused.
    size_t max_streams = 10000;
    size_t max_per_client = 1000;
  };

  QueryStreams(const Options& options, CallAdmission& admission, const QueryState& state);
  QueryStreams(const QueryStreams&) = delete;
  QueryStreams& operator=(const QueryStreams&) = delete;

  // Begins a call, which belongs to gRPC.
  QueryReactor* Open(grpc::CallbackServerContext* context);

  // Ends the calls, and those that begin from now on, with UNAVAILABLE: their clients go on
  // elsewhere.
  void Drain();

  // Ends queries whose deadline has passed while they wait. To be called periodically.
  void Sweep();

  size_t size() const { return places_.size(); }

 private:
  absl::StatusOr<std::unique_ptr<ClientPlaces::Place>> Admit(const Call& call,
                                                             std::string_view peer);
  void Remove(uint64_t number);
  std::vector<std::shared_ptr<QueryStream>> All() const;

  ChannelHost host_;
  MethodCounters& counters_;
  ClientPlaces places_;

  mutable Mutex mu_;
  uint64_t last_number_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<uint64_t, std::shared_ptr<QueryStream>> open_ ABSL_GUARDED_BY(mu_);
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_STREAM_QUERY_STREAMS_H_
