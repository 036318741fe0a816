#ifndef STAGEDOOR_CLIENT_CC_FUTURES_H_
#define STAGEDOOR_CLIENT_CC_FUTURES_H_

#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cc/client.h"

namespace stagedoor {

// The future of what `start` passes to the callback that it gets.
template <typename Result, typename Starter>
std::future<Result> FutureOf(const Starter& start) {
  auto promise = std::make_shared<std::promise<Result>>();
  auto future = promise->get_future();
  start([promise](Result result) { promise->set_value(std::move(result)); });
  return future;
}

// Starts a call by its asynchronous method and returns the future of its reply:
//
//   auto prim = stagedoor::Start(*client, &stagedoor::Client::GetPrimAsync, request);
//   …
//   absl::StatusOr<stagedoor::v1::GetPrimResponse> reply = prim.get();
//
// The client must live until the future is ready; its destructor waits for that.
template <typename Request, typename Response>
std::future<absl::StatusOr<Response>> Start(
    Client& client,
    void (Client::*method)(const Request&, std::function<void(absl::StatusOr<Response>)>,
                           const CallOptions&),
    const Request& request, const CallOptions& call = {}) {
  return FutureOf<absl::StatusOr<Response>>(
      [&](auto callback) { (client.*method)(request, std::move(callback), call); });
}

// Starts a streaming call: `sink` receives the messages (see Client::Sink), the future the status.
template <typename Request, typename Response>
std::future<absl::Status> Start(
    Client& client,
    void (Client::*method)(const Request&, std::function<absl::Status(const Response&)>,
                           std::function<void(absl::Status)>, const CallOptions&),
    const Request& request, std::type_identity_t<std::function<absl::Status(const Response&)>> sink,
    const CallOptions& call = {}) {
  return FutureOf<absl::Status>([&](auto callback) {
    (client.*method)(request, std::move(sink), std::move(callback), call);
  });
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_FUTURES_H_
