// What the machine and this process are doing: processor time, memory, files.
#ifndef STAGEDOOR_BENCHMARKS_MACHINE_H_
#define STAGEDOOR_BENCHMARKS_MACHINE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace stagedoor::bench {

// Seconds on a clock that only moves forward.
double Now();
// From now on Now() is the processor time of this process: for one-threaded measurements on a
// machine that others keep busy.
void UseCpuTimeClock();
// Processor seconds that all cores have been busy since boot.
double MachineCpuSeconds();
// Processor seconds of this process and of its children that have ended.
double OwnCpuSeconds();
// Processor seconds of another process; 0 when there is none.
double ProcessCpuSeconds(pid_t pid);

// Resident memory and the anonymous part of it, MiB. Pid 0: this process.
struct Memory {
  double resident = 0;
  double anonymous = 0;
};
Memory ReadMemory(pid_t pid = 0);

size_t OpenFileCount();
// Mappings of scene files (.usd…).
size_t SceneFileMappingCount();

// Reads all files below `folder` (or that file) once; returns their bytes.
uint64_t WarmPageCache(const std::string& folder);

// Waits, at most `seconds`, until others use less than a tenth of a core; returns how long.
double WaitUntilIdle(double seconds);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_MACHINE_H_
