#ifndef STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_
#define STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_

#include <memory>

#include "absl/status/statusor.h"

namespace stagedoor {

class RequestContext;

// The messages of a streamed reply, made one after another as the client takes them, so that a slow
// client holds neither a thread nor more than one message. Used by one thread at a time.
template <typename Response>
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  // Fills the next message (given empty). False: there is none, the stream ends well.
  virtual absl::StatusOr<bool> Next(RequestContext& context, Response* response) = 0;

  // Whether the message that Next has given is known to be the last: the end of the stream then
  // travels with it, and wakes nobody once more.
  virtual bool AtEnd() const { return false; }
};

template <typename Response>
using ResponseStreamPtr = std::unique_ptr<ResponseStream<Response>>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_
