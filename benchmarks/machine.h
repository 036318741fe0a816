#ifndef STAGEDOOR_BENCHMARKS_MACHINE_H_
#define STAGEDOOR_BENCHMARKS_MACHINE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace stagedoor::bench {

// The use of processor time, memory and files by the machine and its processes.

// Seconds on a monotonic clock.
double Now();
// Makes Now() return the processor time of this process, for single-threaded measurements on a busy
// machine.
void UseCpuTimeClock();
// Processor seconds for which all cores together have been busy since boot.
double MachineCpuSeconds();
// Processor seconds of this process and of its children that have ended.
double OwnCpuSeconds();
// Processor seconds of another process; 0 if it does not exist.
double ProcessCpuSeconds(pid_t pid);

// Resident memory and its anonymous part, in MiB. Pid 0 means this process.
struct Memory {
  double resident = 0;
  double anonymous = 0;
};
Memory ReadMemory(pid_t pid = 0);

size_t OpenFileCount();
// Mappings of scene files (.usd…).
size_t SceneFileMappingCount();

// Reads all files below `folder` (or the file of that name) once. Returns their bytes.
uint64_t WarmPageCache(const std::string& folder);

// Waits for up to `seconds` until others use less than an eighth of a core. Returns the time
// waited.
double WaitUntilIdle(double seconds);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_MACHINE_H_
