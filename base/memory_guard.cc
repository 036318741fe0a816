#include "base/memory_guard.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <new>

#include "base/freed_memory.h"
#include "base/memory_shortage.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

// Returning freed memory takes long, and with glibc's heap other threads wait for it. So it is done
// at most once per interval, and for at most a fifth of the time.
constexpr std::chrono::milliseconds kTrimInterval{200};
constexpr int kRestAfterTrim = 4;

std::atomic<uint64_t> limit{0};
std::atomic<uint64_t> small_work_reserve{0};

// Returns freed memory to the system, unless that was just done.
void Trim() {
  static std::mutex mu;
  static Clock::time_point next;
  const std::lock_guard<std::mutex> lock(mu);
  const Clock::time_point begin = Clock::now();
  if (begin < next) return;
  ReturnFreedMemory();
  const Clock::time_point end = Clock::now();
  next = end + std::max<Clock::duration>(kTrimInterval, kRestAfterTrim * (end - begin));
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
  return fits() || (AwaitMemoryRelief() && fits());
}

}  // namespace

void SetMemoryLimit(uint64_t bytes, uint64_t reserve) {
  limit.store(bytes, std::memory_order_relaxed);
  small_work_reserve.store(reserve, std::memory_order_relaxed);
}

uint64_t MemoryInUse() {
  // Must not allocate, because operator new calls it. The file has "SIZE RESIDENT SHARED …", in
  // pages.
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

void CheckMemoryAvailable(size_t bytes) {
  if (!HasRoom(bytes, false)) throw std::bad_alloc();
}

bool RequestAllocations::CheckLimit(size_t bytes) {
  checked_at_ = allocated_;
  return HasRoom(bytes, allocated_ - begun_at_ < kStride);
}

}  // namespace stagedoor
