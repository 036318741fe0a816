#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_CLIENT_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_CLIENT_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_engine.h"
#include "resolver/http/http_exchange.h"
#include "resolver/http/http_transfer.h"

namespace stagedoor {

struct HttpClientOptions {
  UrlAllowList allowed_urls;
  HttpTransferSettings transfers;
  HttpRetryPolicy retry;
  size_t io_threads = 2;
};

// An HTTP client for backends: HTTP/1.1, and HTTP/2 over TLS, on I/O threads of its own, with
// connections that are kept and shared. Knows what may be read: the URL of every request and of
// every redirect must be in the allow-list, and every address that is connected to must be allowed
// by the network policy (with a proxy, the proxy decides about addresses).
//
// Redirects are followed up to five times, never from https to http, and without credentials to
// another origin. Compression is not accepted, because ranges refer to the bytes of the object.
//
// Thread-safe. Must outlive its calls.
class HttpClient {
 public:
  // INVALID_ARGUMENT if the CA file or the proxy cannot be used.
  static absl::StatusOr<std::shared_ptr<HttpClient>> Create(HttpClientOptions options);

  explicit HttpClient(HttpClientOptions options);  // for Create
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Performs exchanges, up to `max_parallel` at once, started in their order, and returns their
  // results in the same order. Blocks until all have ended, or until the context ends, which closes
  // the connections that are waiting for a response.
  //
  // With `stop_at_error`, the first error of an exchange ends all, and those that were not finished
  // are CANCELLED.
  std::vector<absl::Status> Run(RequestContext& context, std::span<HttpExchange* const> exchanges,
                                size_t max_parallel, bool stop_at_error);
  absl::Status Run(RequestContext& context, HttpExchange& exchange);

  const UrlAllowList& allowed_urls() const { return engine_.allowed_urls; }
  HttpStatistics statistics() const { return engine_.counters.Read(); }

 private:
  HttpEngine engine_;
};

// The error for a response that is not a success: NOT_FOUND for 404 and 410, PERMISSION_DENIED for
// 401, 403 and 407, UNAVAILABLE for 408, 429, 5xx and unexpected ones, INVALID_ARGUMENT for other
// 4xx.
absl::Status HttpStatusError(int status);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_CLIENT_H_
