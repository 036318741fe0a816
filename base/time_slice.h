#ifndef STAGEDOOR_BASE_TIME_SLICE_H_
#define STAGEDOOR_BASE_TIME_SLICE_H_

#include <sys/types.h>

#include <chrono>

namespace stagedoor {

// How long the kernel lets a thread run before another one has its turn. Linux from 6.12 on takes a
// wish for it, of 0.1 to 100 ms: a thread with a shorter slice gets no more time than others, but
// has its turn sooner after it was woken. So threads whose work is short should ask for a short
// one. No privileges are needed. Threads that a thread starts inherit its wish. Thread-safe;
// `thread` is one of this process, 0 the calling one.

// For threads whose work is short, and for those that hand it over and answer at once. A woken
// thread has its turn before one that runs only if its slice is the shorter one, hence two.
inline constexpr std::chrono::microseconds kPromptTimeSlice{500};
inline constexpr std::chrono::microseconds kShortestTimeSlice{100};

// Asks for `slice`; zero or less takes an earlier wish back. Priority and policy stay as they are.
// False, and nothing has changed, where the kernel knows no such wish or refuses it, and for
// threads that run at a real-time policy: nobody depends on it.
bool RequestTimeSlice(std::chrono::nanoseconds slice, pid_t thread = 0);

// The slice that the kernel reports, by its own choice or as it was asked for; zero where it
// reports none.
std::chrono::nanoseconds TimeSlice(pid_t thread = 0);

// For work that is long: the usual slice and a lower priority, so that it takes what other threads
// leave. For good: without privileges a priority can't be raised again. Where that fails, the work
// only disturbs more.
void RunInTheBackground(pid_t thread = 0);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TIME_SLICE_H_
