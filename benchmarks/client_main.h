// What the driver's client processes do. Each talks to its parent over standard input and output.
#ifndef STAGEDOOR_BENCHMARKS_CLIENT_MAIN_H_
#define STAGEDOOR_BENCHMARKS_CLIENT_MAIN_H_

#include <cstdint>
#include <string>

namespace stagedoor::bench {

// One client that sends its next call when the last was answered. Prints "ready", waits for a line,
// calls for `seconds` and prints JSON: {"latencies": [s…], "values", "bytes", "seconds"}.
int RunLoadClient(const std::string& address, const std::string& scenes, const std::string& work,
                  uint32_t seed, double seconds);

// A render node: opens the stage, which the daemon has, and reads authored attributes at a middle
// frame, traversing into instances, up to the 1000th value. Prints JSON: {"first_s" since `start`
// (a time of Now()), "rss_mib", "anon_mib", "values"}. With `hold` it then waits for its standard
// input to end.
int RunNodeClient(const std::string& address, const std::string& scenes, const std::string& scene,
                  double start, bool hold);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_CLIENT_MAIN_H_
