#include "server/metrics/process_usage.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

// Positions in /proc/self/stat behind the name of the program, which may contain spaces.
constexpr size_t kUserTicks = 11;
constexpr size_t kSystemTicks = 12;
constexpr size_t kThreads = 17;
constexpr size_t kStartTicks = 19;
constexpr size_t kVirtualBytes = 20;
constexpr size_t kResidentPages = 21;

using Fields = std::array<uint64_t, kResidentPages + 1>;

Fields ReadStat(const std::string& file) {
  Fields fields{};
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const size_t end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return fields;
  std::istringstream words(text.substr(end_of_name + 1));
  std::string word;
  // Some fields are letters or negative.
  for (size_t i = 0; i < fields.size() && words >> word; ++i) {
    fields[i] = ParseNumber<uint64_t>(word).value_or(0);
  }
  return fields;
}

double Seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// The number of entries of a directory of descriptors, including that of reading it.
uint64_t CountFiles(const std::string& directory) {
  // Since Linux 6.2 the size is the number, which spares reading tens of thousands of entries.
  struct stat status {};
  if (::stat(directory.c_str(), &status) == 0 && status.st_size > 0) {
    return static_cast<uint64_t>(status.st_size);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  uint64_t count = 0;
  while (open != nullptr) {
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    if (entry->d_name[0] != '.') ++count;
  }
  return count;
}

}  // namespace

ProcessUsage ReadProcessUsage(const std::string& proc) {
  const Fields fields = ReadStat(proc + "/self/stat");
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessUsage usage;
  usage.cpu_seconds = static_cast<double>(fields[kUserTicks] + fields[kSystemTicks]) / ticks;
  if (fields[kStartTicks] != 0) {
    const double booted = Seconds(CLOCK_REALTIME) - Seconds(CLOCK_BOOTTIME);
    usage.start_seconds = booted + static_cast<double>(fields[kStartTicks]) / ticks;
  }
  usage.threads = fields[kThreads];
  usage.virtual_bytes = fields[kVirtualBytes];
  usage.resident_bytes = fields[kResidentPages] * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  usage.open_files = CountFiles(proc + "/self/fd");
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) usage.max_files = limit.rlim_cur;
  return usage;
}

void AddProcess(const ProcessUsage& usage, MetricFamilies* families) {
  AddCounter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.",
             usage.cpu_seconds, families);
  AddGauge("process_start_time_seconds", "Start time since the Unix epoch, in seconds.",
           usage.start_seconds, families);
  AddGauge("process_resident_memory_bytes", "Resident memory, including mapped files.",
           usage.resident_bytes, families);
  AddGauge("process_virtual_memory_bytes", "Virtual memory.", usage.virtual_bytes, families);
  AddGauge("process_threads", "Threads of the process.", usage.threads, families);
  AddGauge("process_open_fds", "Open file descriptors.", usage.open_files, families);
  AddGauge("process_max_fds", "Maximum number of open file descriptors.", usage.max_files,
           families);
}

}  // namespace stagedoor::server
