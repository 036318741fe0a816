#ifndef STAGEDOOR_CLIENT_CC_STREAM_ASSEMBLER_H_
#define STAGEDOOR_CLIENT_CC_STREAM_ASSEMBLER_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/array_assembler.h"
#include "client/cc/client_options.h"
#include "stagedoor/v1/streams.pb.h"

namespace stagedoor {

// Puts a message of a stream together from its fragments. Not thread-safe.
class FragmentAssembler {
 public:
  explicit FragmentAssembler(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Takes a fragment. True if it completes a message, which is then in `*bytes`. DATA_LOSS if it is
  // not the next one, RESOURCE_EXHAUSTED above the limit.
  absl::StatusOr<bool> Add(const v1::MessageFragment& fragment, std::string* bytes);

  // Whether a message has begun and is not complete.
  bool begun() const { return !bytes_.empty(); }

 private:
  const size_t max_bytes_;
  size_t total_ = 0;
  std::string bytes_;
};

// Turns the messages of one stream, as they arrive, into whole ones: see streams.proto. Messages
// that are whole already pass without a copy. Not thread-safe.
template <typename Response>
class StreamAssembler {
 public:
  explicit StreamAssembler(const ClientOptions& options)
      : enabled_(options.assemble_arrays),
        fragments_(options.max_assembled_bytes),
        arrays_(options.max_assembled_bytes) {}

  // Takes a message. True if a whole one is now in `*message`. DATA_LOSS if the daemon's messages
  // are inconsistent, RESOURCE_EXHAUSTED above the limit; no more messages may be passed then.
  absl::StatusOr<bool> Take(Response* message) {
    if (!enabled_) return true;
    if (!message->has_stream_parts()) {
      if (!in_progress()) return true;
      return DataLossError("the daemon's reply is inconsistent: the rest of a message is missing");
    }
    v1::StreamParts parts = TakeParts(message);
    if (parts.has_fragment()) {
      std::string bytes;
      SD_ASSIGN_OR_RETURN(const bool complete, fragments_.Add(parts.fragment(), &bytes));
      if (!complete) return false;
      if (!message->ParseFromString(bytes)) {
        return DataLossError("the daemon's reply is inconsistent: a message cannot be decoded");
      }
      parts = TakeParts(message);
    }
    return TakeArrays(message, &parts);
  }

  // Whether a message has begun and is not whole. At the end of a stream it never will be.
  bool in_progress() const { return holds_ || fragments_.begun(); }

 private:
  static v1::StreamParts TakeParts(Response* message) {
    v1::StreamParts parts;
    if (message->has_stream_parts()) parts.Swap(message->mutable_stream_parts());
    message->clear_stream_parts();
    return parts;
  }

  absl::StatusOr<bool> TakeArrays(Response* message, v1::StreamParts* parts) {
    if (parts->array_count() != 0) {
      if (holds_) return DataLossError("the daemon's reply is inconsistent: chunks are missing");
      held_.Swap(message);
      holds_ = true;
      SD_RETURN_IF_ERROR(arrays_.Begin(&held_, parts->array_count()));
    }
    SD_RETURN_IF_ERROR(arrays_.Add(parts->mutable_chunks()));
    if (!arrays_.done()) return false;
    if (std::exchange(holds_, false)) {
      message->Clear();
      message->Swap(&held_);
    }
    return true;
  }

  const bool enabled_;
  FragmentAssembler fragments_;
  ArrayAssembler arrays_;
  Response held_;  // refers to arrays that are not complete
  bool holds_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_STREAM_ASSEMBLER_H_
