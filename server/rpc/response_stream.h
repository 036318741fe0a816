#ifndef STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_
#define STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_

#include <memory>

#include "absl/status/statusor.h"

namespace stagedoor {
class RequestContext;
}  // namespace stagedoor

namespace stagedoor::server {

// The messages of a streamed reply, produced one by one as the client reads them, so that a slow
// client occupies neither a thread nor memory for more than one message. Used by one thread at a
// time.
template <typename Response>
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  // Fills the next message, which is passed empty. False at the successful end of the stream.
  virtual absl::StatusOr<bool> Next(RequestContext& context, Response* response) = 0;

  // Whether the latest message is known to be the last. The end of the stream is then sent along
  // with it, which saves waking the client once more.
  virtual bool AtEnd() const { return false; }
};

template <typename Response>
using ResponseStreamPtr = std::unique_ptr<ResponseStream<Response>>;

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_
