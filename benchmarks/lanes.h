// Lanes: two threads against two processes, as benchmarks/threads.py has them measured.
#ifndef STAGEDOOR_BENCHMARKS_LANES_H_
#define STAGEDOOR_BENCHMARKS_LANES_H_

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "benchmarks/thread_pair.h"

namespace stagedoor::bench {

// Work that two threads of a process can do, or two processes, half each. Both functions return the
// amount done.
struct SpreadWork {
  std::function<double(int half)> half;  // 0 or 1, on the calling thread only
  // All of it, spread by the engine over its threads; none: two threads do half(0) and half(1).
  std::function<double()> all = nullptr;
};

// What this process does of such work: all, on two threads, or one half, on one.
enum class Lane { kNone, kFirst, kSecond, kBoth };

// "1", "2" or "both"; anything else ends the process.
Lane ParseLane(std::string_view word);

// Says on `out` that it is ready for `name`, then obeys `in`, line by line:
//
//   go AT SECONDS   works from AT (of Now(), a clock that all processes share) for SECONDS, to the
//                   end of the piece begun last; answers with the rate, the amount per second
//   next            returns; so does the end of the input
//
// The first "go" is for warming up: nothing is done before it.
void ServeLane(Lane lane, std::string_view name, std::string_view unit, const SpreadWork& work,
               ThreadPair& threads, std::istream& in, std::ostream& out);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_LANES_H_
