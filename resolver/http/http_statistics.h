#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_STATISTICS_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_STATISTICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stagedoor {

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

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_STATISTICS_H_
