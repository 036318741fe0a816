#include "base/memory_shortage.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

struct Meeting {
  std::atomic<bool> offered{false};
  std::mutex mu;
  std::condition_variable shortage_began;
  std::condition_variable shortage_ended;
  bool shortage = false;
  uint64_t ended = 0;  // the number of shortages that have ended
  Clock::time_point last_end{};
};

// Made without an allocation, because it is used within one, and never destroyed, because threads
// allocate until the process has ended.
Meeting& TheMeeting() {
  alignas(Meeting) static std::byte storage[sizeof(Meeting)];
  static Meeting& meeting = *new (storage) Meeting;
  return meeting;
}

}  // namespace

void SetMemoryReliefOffered(bool offered) { TheMeeting().offered = offered; }

bool AwaitMemoryShortage(std::chrono::milliseconds patience) {
  Meeting& meeting = TheMeeting();
  std::unique_lock<std::mutex> lock(meeting.mu);
  meeting.shortage_began.wait_for(lock, patience, [&] { return meeting.shortage; });
  return meeting.shortage;
}

void EndMemoryShortage() {
  Meeting& meeting = TheMeeting();
  const std::lock_guard<std::mutex> lock(meeting.mu);
  meeting.shortage = false;
  ++meeting.ended;
  meeting.last_end = Clock::now();
  meeting.shortage_ended.notify_all();
}

bool AwaitMemoryRelief() {
  Meeting& meeting = TheMeeting();
  if (!meeting.offered) return false;
  std::unique_lock<std::mutex> lock(meeting.mu);
  if (meeting.ended > 0 && Clock::now() - meeting.last_end < kMemoryReliefPatience) return false;
  meeting.shortage = true;
  meeting.shortage_began.notify_all();
  const uint64_t before = meeting.ended;
  return meeting.shortage_ended.wait_for(lock, kMemoryReliefPatience,
                                         [&] { return meeting.ended != before; });
}

}  // namespace stagedoor
