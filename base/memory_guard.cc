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

// Giving back what was freed walks the whole heap, which others wait for: not more often, and for
// no more than a fifth of the time.
constexpr std::chrono::milliseconds kTrimInterval{200};
constexpr int kRestAfterTrim = 4;

std::atomic<uint64_t> limit{0};
std::atomic<uint64_t> small_work_reserve{0};

// Gives what was freed back to the system. False when it was just done: then it is not done again.
bool Trim() {
  static std::mutex mu;
  static Clock::time_point next;
  const std::lock_guard<std::mutex> lock(mu);
  const Clock::time_point begin = Clock::now();
  if (begin < next) return false;
  ::malloc_trim(0);
  const Clock::time_point end = Clock::now();
  next = end + std::max<Clock::duration>(kTrimInterval, kRestAfterTrim * (end - begin));
  return true;
}

// What the heap holds that is not allocated, while the process uses `used`.
uint64_t FreedBytes(uint64_t used) {
  const struct mallinfo2 heap = ::mallinfo2();
  return used - std::min<uint64_t>(used, heap.uordblks + heap.hblkhd);
}

bool HasRoom(size_t bytes, bool small) {
  uint64_t most = limit.load(std::memory_order_relaxed);
  if (most == 0) return true;
  if (small) most += small_work_reserve.load(std::memory_order_relaxed);
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
thread_local size_t RequestMemoryScope::asked_at_ = 0;
thread_local size_t RequestMemoryScope::begun_at_ = 0;

void LimitMemory(uint64_t bytes, uint64_t reserve) {
  limit.store(bytes, std::memory_order_relaxed);
  small_work_reserve.store(reserve, std::memory_order_relaxed);
}

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

void GiveBackFreedMemory() {
  static std::mutex mu;
  static uint64_t scattered = 0;  // freed bytes that the last time could not give back
  const uint64_t most = limit.load(std::memory_order_relaxed);
  if (most == 0) return;
  const uint64_t used = MemoryInUse();
  if (used <= most / 2) return;
  const std::lock_guard<std::mutex> lock(mu);
  const uint64_t freed = FreedBytes(used);
  scattered = std::min(scattered, freed);
  if (freed - scattered < most / 8) return;
  if (Trim()) scattered = FreedBytes(MemoryInUse());
}

void RequireMemory(size_t bytes) {
  if (!HasRoom(bytes, false)) throw std::bad_alloc();
}

bool RequestMemoryScope::Ask(size_t bytes) {
  asked_at_ = allocated_;
  return HasRoom(bytes, allocated_ - begun_at_ < kStride);
}

}  // namespace stagedoor
