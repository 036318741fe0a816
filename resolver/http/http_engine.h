#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_ENGINE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_ENGINE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "resolver/access/url.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_transfer.h"

namespace stagedoor {

// When a request is retried: exponential backoff with full jitter, so that clients which failed
// together do not return together. Thread-safe if the functions are.
struct HttpRetryPolicy {
  using Duration = std::chrono::milliseconds;

  int attempts = 4;  // without progress, the first one included
  Duration first_delay{100};
  Duration longest_delay{2000};
  // A server may ask for a longer delay (Retry-After), up to this.
  Duration longest_retry_after{5000};
  // A random number from 0 to 1. May be null, in which case there is a good one.
  std::function<double()> random;
  // Given the delay, returns how long to wait really. May be null. For tests.
  std::function<Duration(Duration)> wait;

  // How long to wait after the failure number `failures`, which counts from 1.
  Duration Delay(int failures, std::optional<Duration> retry_after) const;
};

// Kinds of failed attempts, for metrics.
enum class HttpFailureKind {
  kConnect,      // no address, refused, unreachable
  kTls,          // no secure connection, or an invalid certificate
  kTimeout,      // too slow
  kBroken,       // reset or truncated
  kServerError,  // status 5xx
  kThrottled,    // status 429
  kInvalid,      // an answer that is not HTTP, or not what was asked for
  kForbidden,    // an address or a redirect that is not allowed
};
inline constexpr size_t kHttpFailureKinds = 8;

// "connect", "tls" and so on: values of a label.
constexpr std::string_view HttpFailureKindName(HttpFailureKind kind) {
  constexpr std::array<std::string_view, kHttpFailureKinds> kNames = {
      "connect", "tls", "timeout", "broken", "server_error", "throttled", "invalid", "forbidden"};
  return kNames[static_cast<size_t>(kind)];
}

// The activity of a client since it was created.
struct HttpStatistics {
  uint64_t requests = 0;  // sent, with retries and followed redirects
  uint64_t retries = 0;
  uint64_t redirects = 0;
  uint64_t connections = 0;     // opened
  uint64_t bytes_received = 0;  // of bodies
  std::array<uint64_t, kHttpFailureKinds> failures = {};
};

// HttpStatistics while they are being counted. Thread-safe.
struct HttpCounters {
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> retries{0};
  std::atomic<uint64_t> redirects{0};
  std::atomic<uint64_t> connections{0};
  std::atomic<uint64_t> bytes_received{0};
  std::array<std::atomic<uint64_t>, kHttpFailureKinds> failures = {};

  void CountFailure(HttpFailureKind kind) {
    failures[static_cast<size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  }
  HttpStatistics Read() const {
    HttpStatistics out{requests, retries, redirects, connections, bytes_received, {}};
    for (size_t i = 0; i < kHttpFailureKinds; ++i) out.failures[i] = failures[i];
    return out;
  }
};

// The state that an HttpClient shares with its calls. Thread-safe once it is set up.
struct HttpEngine {
  UrlAllowList allowed_urls;
  HttpRetryPolicy retry;
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
