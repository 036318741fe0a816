#ifndef STAGEDOOR_CLIENT_CC_ARRAY_ASSEMBLER_H_
#define STAGEDOOR_CLIENT_CC_ARRAY_ASSEMBLER_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cc/array_search.h"
#include "stagedoor/v1/streams.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// The number of bytes that a PackedValues message should have, from its shape and count. SIZE_MAX
// if they are too many or the shape is invalid.
size_t ExpectedBytes(const v1::PackedValues& packed);

// Puts the chunks of arrays where a message refers to them. Believes nothing that the daemon
// announces: memory grows with the bytes that arrive. Not thread-safe.
class ArrayAssembler {
 public:
  // `max_bytes`: the limit for the arrays of one message together.
  explicit ArrayAssembler(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Starts with a message that refers to `count` arrays. It must stay in place until done().
  // DATA_LOSS if its references are inconsistent, RESOURCE_EXHAUSTED above the limit. Requires
  // done().
  absl::Status Begin(google::protobuf::Message* message, uint32_t count);
  // Takes the next chunks, which may be emptied. DATA_LOSS if one is not the next of its array.
  absl::Status Add(google::protobuf::RepeatedPtrField<v1::ArrayChunk>* chunks);

  // Whether there are no arrays to wait for.
  bool done() const { return at_ == arrays_.size(); }

 private:
  absl::Status CheckReferences(uint32_t count) const;
  absl::Status AddChunk(v1::ArrayChunk* chunk);

  const size_t max_bytes_;
  ArraySearch search_;
  std::vector<v1::PackedValues*> arrays_;  // of the message, in order of their IDs
  size_t at_ = 0;                          // the array of the next chunk
  std::string bytes_;                      // of that array
  uint32_t next_id_ = 0;                   // of the next message's first array
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ARRAY_ASSEMBLER_H_
