#include "benchmarks/machine.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace stagedoor::bench {
namespace {

namespace fs = std::filesystem;

clockid_t clock_id = CLOCK_MONOTONIC;

double Ticks(double ticks) { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

double UsageSeconds(int who) {
  rusage usage;
  getrusage(who, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

std::string ProcFile(pid_t pid, const char* name) {
  return "/proc/" + (pid == 0 ? std::string("self") : std::to_string(pid)) + "/" + name;
}

uint64_t ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  uint64_t bytes = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    bytes += static_cast<uint64_t>(file.gcount());
  }
  return bytes;
}

}  // namespace

double Now() {
  timespec now;
  clock_gettime(clock_id, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void UseCpuTimeClock() { clock_id = CLOCK_PROCESS_CPUTIME_ID; }

double MachineCpuSeconds() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user, nice, system, idle, wait, irq, softirq, steal;
  file >> cpu >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal;
  return Ticks(user + nice + system + irq + softirq + steal);
}

double OwnCpuSeconds() { return UsageSeconds(RUSAGE_SELF) + UsageSeconds(RUSAGE_CHILDREN); }

double ProcessCpuSeconds(pid_t pid) {
  std::ifstream file(ProcFile(pid, "stat"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name in parentheses may contain anything. User and system time are fields 12 and 13 after
  // it.
  const size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return Ticks(user + system);
}

Memory ReadMemory(pid_t pid) {
  std::ifstream file(ProcFile(pid, "status"));
  Memory memory;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("VmRSS:")) memory.resident = std::stod(line.substr(6)) / 1024;
    if (line.starts_with("RssAnon:")) memory.anonymous = std::stod(line.substr(8)) / 1024;
  }
  return memory;
}

size_t OpenFileCount() {
  const fs::directory_iterator files("/proc/self/fd");
  return static_cast<size_t>(std::distance(fs::begin(files), fs::end(files)));
}

size_t SceneFileMappingCount() {
  std::ifstream file("/proc/self/maps");
  size_t count = 0;
  std::string line;
  while (std::getline(file, line)) {
    const size_t slash = line.rfind('/');
    if (slash != std::string::npos && line.find(".usd", slash) != std::string::npos) ++count;
  }
  return count;
}

uint64_t WarmPageCache(const std::string& folder) {
  if (!fs::is_directory(folder)) return ReadFile(folder);
  uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += ReadFile(entry.path());
  }
  return bytes;
}

double WaitUntilIdle(double seconds) {
  const double start = Now();
  while (Now() - start < seconds) {
    const double busy = MachineCpuSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (MachineCpuSeconds() - busy < 0.06) break;
  }
  return Now() - start;
}

}  // namespace stagedoor::bench
