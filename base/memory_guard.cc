#include "base/memory_guard.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <new>

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

// Giving back what was freed walks the whole heap, so not more often.
constexpr std::chrono::milliseconds kTrimInterval{200};

std::atomic<uint64_t> limit{0};

// Gives what was freed back to the system, unless it was just done.
void Trim() {
  static std::mutex mu;
  static Clock::time_point last;
  const std::lock_guard<std::mutex> lock(mu);
  if (Clock::now() - last < kTrimInterval) return;
  ::malloc_trim(0);
  last = Clock::now();
}

bool HasRoom(size_t bytes) {
  const uint64_t most = limit.load(std::memory_order_relaxed);
  if (most == 0) return true;
  const auto fits = [&] {
    const uint64_t used = MemoryInUse();
    return used <= most && bytes <= most - used;
  };
  if (bytes > most) return false;
  if (fits()) return true;
  Trim();
  return fits();
}

}  // namespace

thread_local int RequestMemoryScope::depth_ = 0;
thread_local size_t RequestMemoryScope::allocated_ = 0;

void LimitMemory(uint64_t bytes) { limit.store(bytes, std::memory_order_relaxed); }

uint64_t MemoryInUse() {
  // Without an allocation: it is asked by operator new. "SIZE RESIDENT SHARED …", in pages.
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  const ssize_t length = ::pread(file, text, sizeof(text), 0);
  if (length <= 0) return 0;
  uint64_t pages[3] = {};
  const char* at = text;
  for (uint64_t& number : pages) {
    at = std::from_chars(at, text + length, number).ptr;
    if (at != text + length) ++at;
  }
  static const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return (pages[1] - std::min(pages[1], pages[2])) * page_bytes;
}

void RequireMemory(size_t bytes) {
  if (!HasRoom(bytes)) throw std::bad_alloc();
}

bool RequestMemoryScope::Ask(size_t bytes) {
  allocated_ = 0;
  return HasRoom(bytes);
}

}  // namespace stagedoor
