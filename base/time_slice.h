#ifndef STAGEDOOR_BASE_TIME_SLICE_H_
#define STAGEDOOR_BASE_TIME_SLICE_H_

#include <sys/types.h>

#include <chrono>

namespace stagedoor {

// How long the kernel lets a thread run before another thread gets its turn. Since Linux 6.12 a
// thread can ask for a slice of 0.1 to 100 ms. A thread with a shorter slice gets no more time than
// others, but gets its turn sooner after it was woken, so threads whose work is short should ask
// for a short slice. No privileges are needed. Threads inherit the slice of the thread that starts
// them. Thread-safe; `thread` is a thread of this process, 0 the calling one.

// For threads whose work is short, and for those that hand work over and answer at once. A woken
// thread gets its turn before one that runs only if its slice is the shorter of the two, hence two
// values.
inline constexpr std::chrono::microseconds kPromptTimeSlice{500};
inline constexpr std::chrono::microseconds kShortestTimeSlice{100};

// Asks for `slice`; zero or less restores the default. Priority and policy stay as they are.
// Returns false, without a change, if the kernel does not support or refuses it, and for threads
// with a real-time policy. Callers must not depend on it.
bool SetTimeSlice(std::chrono::nanoseconds slice, pid_t thread = 0);

// The slice that the kernel reports, whether requested or its own choice; zero if it reports none.
std::chrono::nanoseconds GetTimeSlice(pid_t thread = 0);

// How much nicer long work is than short work. The kernel gives a woken thread its turn at once
// only while it has had less than its share, so what counts is the weight of all background threads
// together.
enum class Background {
  // A tenth of the weight: low enough for one thread of each core, and high enough to make progress
  // beside other processes, which SCHED_IDLE would not.
  kFew = 10,
  // A seventieth, for threads of which there may be many on each core.
  kMany = 19,
};

// For long work: the default slice and a lower priority, so that the thread uses the time that
// others leave. Permanent, because raising a priority again needs privileges. If it fails, the work
// only disturbs others more.
void SetBackgroundPriority(Background background, pid_t thread = 0);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TIME_SLICE_H_
