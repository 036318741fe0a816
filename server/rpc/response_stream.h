#ifndef STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_
#define STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"

namespace stagedoor {
class RequestContext;
}  // namespace stagedoor

namespace stagedoor::server {

// The messages of a streamed reply, produced a few at a time as the client reads them, so that a
// slow client occupies no thread, and little memory. Used by one thread at a time.
template <typename Response>
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  // Fills the next message, which is passed empty. False at the successful end of the stream.
  virtual absl::StatusOr<bool> Next(RequestContext& context, Response* response) = 0;

  // Whether the latest message is known to be the last. The end of the stream is then sent along
  // with it, which saves waking the client once more.
  virtual bool AtEnd() const { return false; }

  // Whether the stream may have nothing to send for the time being, so that WaitForMore must be
  // asked before each message after the first.
  virtual bool MayWait() const { return false; }
  // False if Next has something to send, or an error. Otherwise arranges for `wake`, which is
  // thread-safe and may outlive the stream, to be called when that is so: on any thread, possibly
  // before this function returns. The call then occupies no thread, and does not count as one in
  // flight.
  virtual bool WaitForMore(const std::function<void()>& /*wake*/) { return false; }
};

template <typename Response>
using ResponseStreamPtr = std::unique_ptr<ResponseStream<Response>>;

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_RESPONSE_STREAM_H_
