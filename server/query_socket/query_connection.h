#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CONNECTION_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CONNECTION_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/reservation.h"
#include "server/access/caller.h"
#include "server/access/peer_identity.h"
#include "server/query_socket/query_channel.h"
#include "server/query_socket/query_frame_writer.h"
#include "server/rpc/stall_watchdog.h"

namespace stagedoor::server {

// A channel on a connected socket, which an epoll instance reports to any of several threads, to
// one at a time (EPOLLONESHOT). A turn of a connection is short, so that one that sends without
// pause delays each of the others by one turn; answers of a turn are sent together at its end.
// While the client does not read, nothing is read from it either, and the StallWatchdog closes the
// connection.
class QueryConnection final : public QueryChannel, private StallWatchdog::Writer {
 public:
  // Owns `fd`, a connected socket that does not block. `epoll_fd` outlives the object. `peer` is
  // empty if it is not known who is at the other end.
  QueryConnection(ChannelHost& host, int fd, int epoll_fd, uint64_t number,
                  std::optional<SocketCredentials> peer);
  ~QueryConnection() override;

  // Begins: sends the window, and has epoll report `number` when there is something to do.
  void Open();

  // Does what epoll has reported. False if the connection has ended; it is not reported again.
  bool Serve();

  // Sends a Goodbye. The connection goes on until the client closes it, or End.
  void AskToLeave(const absl::Status& reason);
  // Ends the connection and its queries.
  void End();

 private:
  // One turn of reading and answering. False at the end of the connection.
  bool Turn();
  // Carries out frames that have arrived, until `*left` is 0. False after a violation of the
  // protocol.
  bool HandleFrames(int* left);
  // Reads once. False at the end.
  bool Receive(bool* received);
  // Sends what waits, as far as the client takes it. False if the connection is broken.
  bool SendPending() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool SendPendingLocked() ABSL_LOCKS_EXCLUDED(mu_);
  std::string_view peer() const override { return "unix:"; }
  bool shares_memory() const override { return true; }
  absl::StatusOr<std::shared_ptr<const Caller>> Identify() override;
  size_t backlog() ABSL_LOCKS_EXCLUDED(mu_);
  // Lets epoll report the connection again. `more`: at once, since there are frames to carry out.
  void Rearm(bool more) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  absl::Status Send(const v1::ServerFrame& frame) override ABSL_LOCKS_EXCLUDED(mu_);
  void SendSmall(const v1::ServerFrame& frame) override ABSL_LOCKS_EXCLUDED(mu_);
  void SendDescriptor(const v1::ServerFrame& frame, int fd) override ABSL_LOCKS_EXCLUDED(mu_);
  void Flush() override ABSL_LOCKS_EXCLUDED(mu_);
  // Sends bytes, with the descriptors that wait.
  ssize_t SendSome(std::string_view bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AbortStalled(std::chrono::seconds timeout) override;

  const int fd_;
  const int epoll_fd_;
  const std::optional<SocketCredentials> peer_;

  // For the thread whose turn it is.
  bool more_ = false;  // frames have arrived that are not carried out yet

  Mutex mu_;
  QueryFrameWriter writer_ ABSL_GUARDED_BY(mu_);
  Reservation written_bytes_ ABSL_GUARDED_BY(mu_);
  // They are sent with the next bytes, so not behind the frames that announce them.
  std::vector<int> descriptors_ ABSL_GUARDED_BY(mu_);
  bool serving_ ABSL_GUARDED_BY(mu_) = false;  // a thread has its turn
  bool stalled_ ABSL_GUARDED_BY(mu_) = false;  // the watchdog waits for the client to read
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CONNECTION_H_
