#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_EXCHANGE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_EXCHANGE_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/http/http_message.h"

namespace stagedoor {

// The next step of an exchange after a part of a response.
enum class HttpNext {
  kContinue,
  kDone,   // it has what it needs; the rest of the response is not read
  kAgain,  // another request, at once
};

// One request of a caller with all its attempts: makes the requests, and receives the responses.
// HttpClient calls it on the thread that called Run, never concurrently.
//
// Any error that it returns ends the exchange, except UNAVAILABLE, after which there is another
// attempt if the HttpRetryPolicy has one. A broken transfer is such an error too. Errors say what
// happened without the name of the object, which the caller adds.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  // The next request: the first one, or after kAgain or a failed attempt. May ask for what is still
  // missing only.
  virtual absl::StatusOr<HttpRequest> MakeRequest(RequestContext& context) = 0;

  // The head of a response with any status, except a redirect that was followed.
  virtual absl::StatusOr<HttpNext> OnHead(const HttpResponseHead& head) = 0;
  // Some bytes of its body.
  virtual absl::StatusOr<HttpNext> OnBody(std::string_view bytes) = 0;
  // The response is complete; also if an error response (4xx, 5xx) is truncated. kContinue means
  // kDone.
  virtual absl::StatusOr<HttpNext> OnEnd() = 0;

  // Whether it can take a response now. Until then it waits, up to what a transfer may keep.
  virtual bool ready() const { return true; }
  // Grows when an attempt has achieved something, even if it failed.
  virtual uint64_t progress() const { return 0; }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_EXCHANGE_H_
