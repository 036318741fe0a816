#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_ENGINE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_ENGINE_H_

#include <memory>
#include <vector>

#include "base/hash.h"
#include "resolver/access/url.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_io_thread.h"
#include "resolver/http/http_statistics.h"
#include "resolver/http/http_transfer.h"
#include "resolver/http/retry_policy.h"

namespace stagedoor {

// The state that an HttpClient shares with its calls. Thread-safe once it is set up.
struct HttpEngine {
  UrlAllowList allowed_urls;
  RetryPolicy retry;
  std::shared_ptr<const HttpTransferSettings> transfers;
  HttpCounters counters;
  std::vector<std::unique_ptr<HttpIoThread>> threads;

  // One thread for all requests to an origin, so that they share connections.
  HttpIoThread& ThreadFor(const Url& url) {
    return *threads[MixBits(HashBytes(url.Origin())) % threads.size()];
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_ENGINE_H_
