#ifndef STAGEDOOR_BENCHMARKS_LANES_H_
#define STAGEDOOR_BENCHMARKS_LANES_H_

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "benchmarks/thread_pair.h"

namespace stagedoor::bench {

// Lanes compare two threads with two processes, controlled by benchmarks/threads.py.

// Work that two threads of a process can share, or two processes, half each. Both functions return
// the amount of work done.
struct SpreadWork {
  std::function<double(int half)> half;  // 0 or 1, on the calling thread only
  // All work, spread by the engine over its threads. If null, two threads do half(0) and half(1).
  std::function<double()> all = nullptr;
};

// The share of this process: all work on two threads, or one half on one thread.
enum class Lane { kNone, kFirst, kSecond, kBoth };

// Parses "1", "2" or "both"; anything else exits the process.
Lane ParseLane(std::string_view word);

// Reports on `out` that it is ready for metric `name`, then executes orders from `in`, line by
// line:
//
//   go AT SECONDS   works from AT (of Now(), a clock that all processes share) for SECONDS, ends
//   the
//                   piece in progress, and replies with the rate, the amount per second
//   next            returns, as does the end of the input
//
// The first "go" serves as warm-up, since nothing is done before it.
void ServeLane(Lane lane, std::string_view name, std::string_view unit, const SpreadWork& work,
               ThreadPair& threads, std::istream& in, std::ostream& out);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_LANES_H_
