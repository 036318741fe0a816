#ifndef STAGEDOOR_BENCHMARKS_LOAD_GROUP_H_
#define STAGEDOOR_BENCHMARKS_LOAD_GROUP_H_

#include <string>
#include <vector>

#include "benchmarks/results.h"

namespace stagedoor::bench {

// The server.* and node.* metrics.

struct LoadOptions {
  std::string scenes;
  double seconds = 4;  // per measurement
  int runs = 3;
  std::vector<int> clients = {1, 4, 16};
  std::vector<std::string> work = {"small", "batch", "batch1000", "samples", "arrays", "skin"};
  double quiet = 0;  // seconds to wait in total for other work on the machine to end
  bool brief = false;
};

// Starts a daemon and measures load from several client processes, then opening and traversing.
void MeasureServer(LoadOptions options, Results* results);
// Starts a daemon and measures fresh client processes.
// Threads that share one client in this process and read single values of one stage, with and
// without coalescing.
void MeasureCoalescing(const LoadOptions& options, Results* results);
void MeasureNodes(LoadOptions options, Results* results);
// A client with small queries, alone and beside a client with 64 huge batches and one that flattens
// a stage in a loop.
void MeasureFairness(const LoadOptions& options, Results* results);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_LOAD_GROUP_H_
