#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CHANNEL_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CHANNEL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/frame_reader.h"
#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "server/query_socket/channel_bindings.h"
#include "server/query_socket/channel_host.h"
#include "server/query_socket/channel_segments.h"
#include "server/query_socket/query_owner.h"
#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// The channel of one client for query frames (frames.proto), whatever carries them: its bindings
// and its queries in flight. A carrier derives from it, feeds it the bytes that arrive, and has it
// carry out the frames in them one at a time; answers come from any thread. Held by shared_ptr,
// which its queries share.
class QueryChannel : public std::enable_shared_from_this<QueryChannel>,
                     protected QueryOwner,
                     private ChannelSegments::Announcer {
 public:
  // The queries of a channel that may wait for a thread of a lane, or run on one, at the same time
  // (Window.queries).
  static constexpr size_t kMaxQueries = 1024;
  // The memory of a channel.
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  // Limits of a turn of a carrier in frames and in time; only its last frame may exceed the time.
  static constexpr int kFramesPerTurn = 64;
  static constexpr std::chrono::microseconds kTurn{500};
  // While more bytes wait for the client to read them, nothing is read from it.
  static constexpr size_t kMaxBacklog = size_t{1} << 20;

  // `number` differs from that of other channels.
  QueryChannel(ChannelHost& host, uint64_t number);
  ~QueryChannel() override = default;
  QueryChannel(const QueryChannel&) = delete;
  QueryChannel& operator=(const QueryChannel&) = delete;

  ChannelHost& host() override { return host_; }
  uint64_t number() const override { return number_; }
  MemoryPool& memory() { return memory_; }

  // The first and the last frame of the channel.
  static v1::ServerFrame Window();
  static v1::ServerFrame Goodbye(const absl::Status& reason);

  // Ends all queries in flight, or those whose deadline has passed, which otherwise ends them only
  // when it is their turn. Thread-safe.
  void CancelQueries();
  void CancelOverdue();
  // Ends segments of shared memory that were not used for a while. Thread-safe.
  void EndIdleSegments();

 protected:
  // For the thread that reads the channel. Adds bytes that have arrived, as FrameReader takes them;
  // RESOURCE_EXHAUSTED if the channel has too much memory.
  absl::Status Feed(std::string_view bytes);
  // Carries out the next frame. False if it has not arrived. An error ends the channel.
  absl::StatusOr<bool> HandleNext();

  // The queries that wait for a thread of a lane, or run on one. Thread-safe.
  size_t queries_in_flight();
  // Called when none of them are left, without a lock.
  virtual void OnAllAnswered() {}

  // As SendSmall, with a descriptor, which the carrier then owns.
  virtual void SendDescriptor(const v1::ServerFrame& frame, int fd) = 0;

 private:
  ChannelSegments& segments() override { return segments_; }
  absl::Status Handle(std::string_view frame);
  void StartQuery(const v1::Query& query);
  void CancelQuery(uint64_t id);
  absl::Status Keep(const std::shared_ptr<QueryCall>& call) override;
  void Release(uint64_t id) override;
  std::vector<std::shared_ptr<QueryCall>> Kept();
  absl::Status ReleaseArrays(const v1::ReleaseArrays& frame);
  void AnnounceSegment(uint64_t id, size_t size, int fd) override;
  void AnnounceEnd(uint64_t id) override;

  ChannelHost& host_;
  const uint64_t number_;
  MemoryPool memory_;
  // For the thread that reads the channel.
  FrameReader reader_;
  Reservation read_bytes_;
  ChannelBindings bindings_;

  ChannelSegments segments_;

  Mutex queries_mu_;
  std::unordered_map<uint64_t, std::shared_ptr<QueryCall>> queries_ ABSL_GUARDED_BY(queries_mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_CHANNEL_H_
