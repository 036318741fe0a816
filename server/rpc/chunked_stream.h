#ifndef STAGEDOOR_SERVER_RPC_CHUNKED_STREAM_H_
#define STAGEDOOR_SERVER_RPC_CHUNKED_STREAM_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

class RequestContext;

// Bytes that are sent from where they are, and what keeps them there.
struct PinnedChunk {
  std::string_view bytes;
  std::shared_ptr<const void> pin;
};

// A message in wire form, in pieces: of each its text, then its chunk, which may be empty.
struct WirePiece {
  std::string text;
  PinnedChunk chunk;
};
using WirePieces = std::vector<WirePiece>;

// As ResponseStream, for messages whose last field is `bytes data`: that field is left empty in the
// message and given beside it.
template <typename Response>
class ChunkedStream {
 public:
  virtual ~ChunkedStream() = default;

  virtual absl::StatusOr<bool> Next(RequestContext& context, Response* response,
                                    PinnedChunk* chunk) = 0;
  virtual bool AtEnd() const { return false; }
};

template <typename Response>
using ChunkedStreamPtr = std::unique_ptr<ChunkedStream<Response>>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_CHUNKED_STREAM_H_
