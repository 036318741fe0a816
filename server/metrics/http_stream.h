#ifndef STAGEDOOR_SERVER_METRICS_HTTP_STREAM_H_
#define STAGEDOOR_SERVER_METRICS_HTTP_STREAM_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/metrics/http_request.h"

namespace stagedoor::server {

// An HTTP answer that is made elsewhere while it is sent, piece by piece as the client reads. Used
// by one thread, and destroyed when the connection ends, which ends the work for it.
class HttpStream {
 public:
  enum class State {
    kWaiting,  // the next piece is not ready; `wake` is called once it is
    kPiece,    // a piece is to be sent
    kEnd,      // the answer is complete
    kBroken,   // the answer cannot be completed: the connection is reset
  };

  virtual ~HttpStream() = default;
  // Sets `*piece`, if there is one: the next bytes of the answer, whose first piece has its whole
  // head. For a HEAD, what follows the head is not sent. Must not block.
  virtual State Next(std::string* piece) = 0;
};

// Starts the answer to a GET or HEAD. `wake` may be called on any thread, as long as the stream
// exists.
using StartHttpStream =
    std::function<std::unique_ptr<HttpStream>(const HttpRequest&, std::function<void()> wake)>;
// By path.
using HttpStreams = std::map<std::string, StartHttpStream, std::less<>>;

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_HTTP_STREAM_H_
