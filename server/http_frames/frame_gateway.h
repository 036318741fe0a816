#ifndef STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_GATEWAY_H_
#define STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_GATEWAY_H_

#include <grpcpp/channel.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/in_flight_count.h"
#include "base/mutex.h"
#include "server/metrics/http_request.h"
#include "server/metrics/http_stream.h"

namespace stagedoor::server {

// Answers GET /v1/frame with a frame as a file, by calls of the daemon's own API (FrameTransfer).
//
// A request with a bearer token is that of the token's user; one without is anonymous, or local if
// the daemon trusts all callers. Requests that a web page makes a browser send get no answer unless
// they have a token. At most kMostTransfers are answered at a time. Thread-safe.
class FrameGateway {
 public:
  static constexpr size_t kMostTransfers = 16;

  // `only_local`: no other machine can connect, so a request that names another host than this one
  // is that of a web page whose host has turned out to be this machine.
  explicit FrameGateway(bool only_local) : only_local_(only_local) {}
  // Waits for the HTTP streams to be destroyed, and for their calls, which that cancels.
  ~FrameGateway();
  FrameGateway(const FrameGateway&) = delete;
  FrameGateway& operator=(const FrameGateway&) = delete;

  // Sets the channel to the daemon. Before, requests are answered with 503.
  void SetChannel(std::shared_ptr<grpc::Channel> channel);

  // Starts an answer; see StartHttpStream.
  std::unique_ptr<HttpStream> Start(const HttpRequest& request, std::function<void()> wake);

 private:
  // Why a request is refused at once, as an HTTP answer; empty if it is not.
  std::string Refusal(const HttpRequest& request) const;
  // The channel as a transfer has it. The destructor waits until it is given back.
  std::shared_ptr<grpc::Channel> Borrow(std::shared_ptr<grpc::Channel> channel);

  const bool only_local_;
  InFlightCount transfers_;
  InFlightCount borrowers_;  // those that have the channel
  Mutex mu_;
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mu_);
};

// Whether the value of a Host header is this machine: an address, or "localhost". A browser sends
// the name that a page has.
bool NamesThisMachine(std::string_view host);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_GATEWAY_H_
