#ifndef STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_COUNTERS_H_
#define STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_COUNTERS_H_

#include <atomic>
#include <cstdint>

namespace stagedoor::server {

// The counts of what a node daemon did since it started. Thread-safe.
struct UpstreamCounters {
  std::atomic<uint64_t> hits{0};       // replies that were kept in memory
  std::atomic<uint64_t> disk_hits{0};  // replies that were kept on disk
  std::atomic<uint64_t> shared{0};     // replies that another call was fetching already
  std::atomic<uint64_t> misses{0};     // replies that could be kept, but had to be fetched
  std::atomic<uint64_t> passed{0};     // calls whose replies cannot be kept
  std::atomic<uint64_t> calls{0};      // attempts of calls upstream
  std::atomic<uint64_t> retries{0};    // those that repeat a failed one
  std::atomic<uint64_t> failures{0};   // calls upstream that failed, with all their attempts
  std::atomic<uint64_t> access_checks{0};
  std::atomic<uint64_t> reopens{0};         // stages that upstream had lost
  std::atomic<uint64_t> received_bytes{0};  // of messages from upstream
  std::atomic<uint64_t> sent_bytes{0};      // of messages to processes
  std::atomic<uint64_t> saved_bytes{0};     // of these, the ones that were not received for them
  std::atomic<uint64_t> evictions{0};

  static void Add(std::atomic<uint64_t>& counter, uint64_t n = 1) {
    counter.fetch_add(n, std::memory_order_relaxed);
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_COUNTERS_H_
