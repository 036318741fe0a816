#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_SOCKET_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_SOCKET_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/listen/connection_counter.h"
#include "server/listen/socket_listener.h"
#include "server/listen/unix_socket_lock.h"
#include "server/query_socket/channel_host.h"
#include "server/query_socket/query_connection.h"

namespace stagedoor::server {

// The Unix socket of a daemon for query frames. A thread accepts connections; a few others, which
// share an epoll instance, read frames and answer the light queries. An idle connection has no
// thread, and less than 2 KiB. Thread-safe, except that Drain and Stop are called by one thread.
class QuerySocket {
 public:
  struct Options {
    std::string path;
    // Whether callers are identified by the credentials of the process at the other end.
    bool know_peers = false;
    // Answers the queries instead of the stages, unless it is null.
    QuerySource* source = nullptr;
    int threads = 2;  // at least 2: one that runs a light query leaves the others to read
  };

  // Listens on a path. What is passed must outlive the object, and the threads of the lanes must
  // have ended before it is destroyed. UNAVAILABLE for a path that it cannot listen on.
  static absl::StatusOr<std::unique_ptr<QuerySocket>> Listen(const Options& options,
                                                             CallAdmission& admission,
                                                             const QueryState& state,
                                                             ConnectionCounter& connections);
  // Ends all queries and connections.
  ~QuerySocket();
  QuerySocket(const QuerySocket&) = delete;
  QuerySocket& operator=(const QuerySocket&) = delete;

  const std::string& path() const { return options_.path; }

  // Accepts no more connections, and asks the clients of those that are open to go elsewhere.
  void Drain();
  // Waits until no query is in flight, up to `grace_period`, and ends all connections.
  void Stop(std::chrono::milliseconds grace_period);
  // Ends all queries in flight, with CANCELLED. Also while Stop waits.
  void CancelQueries();

  // Ends queries whose deadline has passed while they wait, and segments of shared memory that are
  // not used. To be called periodically.
  void Sweep();

  // The connections that are open.
  size_t connections() const;

 private:
  QuerySocket(Options options, CallAdmission& admission, const QueryState& state,
              ConnectionCounter& connections);

  absl::Status Start();
  void Accept(int fd);
  void RunThread();
  std::shared_ptr<QueryConnection> Find(uint64_t number) const;
  std::vector<std::shared_ptr<QueryConnection>> All() const;

  const Options options_;
  ConnectionCounter& counter_;
  ChannelHost host_;
  std::unique_ptr<UnixSocketLock> claim_;
  int epoll_fd_ = -1;
  int stop_fd_ = -1;  // readable when the threads end
  std::vector<std::thread> threads_;
  std::unique_ptr<SocketListener> listener_;
  uint64_t last_number_ = 0;  // of the listener's thread
  bool stopped_ = false;

  mutable Mutex mu_;
  std::unordered_map<uint64_t, std::shared_ptr<QueryConnection>> open_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_SOCKET_H_
