#include "base/interned_bytes.h"

#include <atomic>

#include "base/request_scope.h"

namespace stagedoor {
namespace {

std::atomic<uint64_t> most_bytes{0};
std::atomic<uint64_t> used_bytes{0};

}  // namespace

void InternedBytes::SetLimit(uint64_t bytes) { most_bytes.store(bytes, std::memory_order_relaxed); }

uint64_t InternedBytes::limit() { return most_bytes.load(std::memory_order_relaxed); }

uint64_t InternedBytes::used() { return used_bytes.load(std::memory_order_relaxed); }

void InternedBytes::Add(size_t bytes) {
  const uint64_t all = limit();
  const uint64_t most = only_half_ ? all / 2 : all;
  // Concurrent threads may exceed the limit by a name each.
  if (all != 0 && RequestScope::Current().limits_memory && used() + bytes > most) {
    throw InternedBytesExhausted();
  }
  used_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

const char* InternedBytesExhausted::what() const noexcept {
  return "the daemon cannot store the new names in this request: the names that it stores until it "
         "exits have reached their limit, a quarter of --memory-limit; restart the daemon, or "
         "raise --memory-limit";
}

}  // namespace stagedoor
