#ifndef STAGEDOOR_SERVER_UPSTREAM_ARRAY_FILLER_H_
#define STAGEDOOR_SERVER_UPSTREAM_ARRAY_FILLER_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/reservation.h"
#include "client/cc/array_search.h"
#include "client/cc/stream_assembler.h"
#include "server/upstream/array_store.h"
#include "server/upstream/upstream_counters.h"
#include "stagedoor/v1/streams.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// Turns the messages of one stream from upstream into those for processes: puts arrays of the store
// where upstream says that they are unchanged, because the request has named them, and keeps those
// that have come. So a process gets an array only if the reply to its own identity has it.
//
// Follows the rules of streams.proto: small arrays are put into the message, others follow it in
// chunks, after the chunks of upstream. Messages in which nothing is put pass without a copy. Used
// by one thread at a time.
class ArrayFiller {
 public:
  struct Request {
    // An empty reply of the stream's type.
    const google::protobuf::Message* response = nullptr;
    // The kind for which the digests of the reply are remembered; empty if they are not.
    std::string kind;
    // The digests of the arrays that the process has.
    std::unordered_set<std::string> known;
    // The arrays that upstream may leave out, because the request names them.
    ArrayStore::Arrays expected;
  };

  // Both outlive the filler.
  ArrayFiller(Request request, ArrayStore& store, UpstreamCounters& counters)
      : request_(std::move(request)),
        store_(store),
        counters_(counters),
        arriving_bytes_(store.pool()) {}

  // Takes the next message, and returns those to send instead, if any. DATA_LOSS if the messages
  // are inconsistent.
  absl::StatusOr<std::vector<grpc::ByteBuffer>> Take(const grpc::ByteBuffer& message);
  // The stream has ended, and is complete.
  void Finish();

 private:
  using Messages = std::vector<grpc::ByteBuffer>;
  // An array whose chunks are to come from upstream.
  struct Arriving {
    v1::PackedValues* packed = nullptr;  // in the message that refers to it, while that is read
    uint32_t id = 0;
    uint64_t total = 0;
    std::string digest;
    uint64_t arrived = 0;
    std::string bytes;  // only with a digest
  };
  // An array of the store whose chunks follow a message.
  struct Following {
    v1::PackedValues* packed = nullptr;
    ArrayStore::Array array;
  };
  // One message, while it is read.
  struct Reading {
    std::unique_ptr<google::protobuf::Message> message;
    size_t bytes = 0;
    bool changed = false;
    std::vector<v1::PackedValues*> to_keep;
  };

  // Null if it is a fragment of a message that is not complete.
  absl::StatusOr<std::unique_ptr<Reading>> Parse(const grpc::ByteBuffer& message);
  v1::StreamParts* Parts(const Reading& reading) const;
  absl::Status TakeArrays(Reading* reading);
  absl::Status TakeArray(Reading* reading, v1::PackedValues* packed);
  absl::Status FillArray(Reading* reading, v1::PackedValues* packed,
                         const ArrayStore::Array& array);
  // Checks the references of upstream, and gives IDs to all arrays that follow.
  absl::Status Number(Reading* reading);
  absl::Status TakeChunks(Reading* reading);
  absl::Status TakeChunk(v1::ArrayChunk* chunk);
  absl::Status Emit(const grpc::ByteBuffer& original, const Reading& reading, Messages* out);
  // The chunks of the arrays that follow, once those from upstream are complete.
  void EmitFollowing(Messages* out);
  void Keep(const std::string& digest, std::string bytes);
  void Note(const std::string& digest);

  const Request request_;
  ArrayStore& store_;
  UpstreamCounters& counters_;
  ArraySearch search_;
  FragmentAssembler fragments_{kMaxAssembledBytes};
  std::deque<Arriving> arriving_;
  Reservation arriving_bytes_;
  std::vector<Following> following_;
  uint32_t following_id_ = 0;  // that of the first of them
  uint32_t upstream_id_ = 0;   // of the next array from upstream
  uint32_t shift_ = 0;         // between the IDs of upstream and those for processes
  std::unordered_set<std::string> noted_;
  std::vector<std::string> digests_;  // of the reply

  static constexpr size_t kMaxAssembledBytes = size_t{256} << 20;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_ARRAY_FILLER_H_
