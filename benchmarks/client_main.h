#ifndef STAGEDOOR_BENCHMARKS_CLIENT_MAIN_H_
#define STAGEDOOR_BENCHMARKS_CLIENT_MAIN_H_

#include <cstdint>
#include <string>

namespace stagedoor::bench {

// The client processes of a driver. Each communicates with its parent over standard input and
// output.

// A client that sends one call at a time. Prints "ready", waits for a line, makes calls for
// `seconds` and prints JSON: {"latencies": [s…], "values", "bytes", "seconds"}.
int RunLoadClient(const std::string& address, const std::string& scenes, const std::string& work,
                  uint32_t seed, double seconds);

// A client that disturbs others: makes the calls of `work` (MakeLoad) on `threads` threads, one
// after another on each, at the lowest priority so that it takes no processor time from the others.
// Prints "ready" once each thread has had a reply, then a line for each line that it reads: JSON
// {"calls": the number answered so far, "refused": the number of errors}. Stops at the end of its
// standard input.
int RunLoad(const std::string& address, const std::string& scenes, const std::string& work,
            int threads);

// A render node: opens the stage, which the daemon has open, and reads authored attributes at the
// middle frame, traversing into instances, up to the 1000th value. Prints JSON: {"first_s" since
// `start` (a time of Now()), "rss_mib", "anon_mib", "values"}. With `hold` it then waits for the
// end of its standard input.
int RunNodeClient(const std::string& address, const std::string& scenes, const std::string& scene,
                  double start, bool hold);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_CLIENT_MAIN_H_
