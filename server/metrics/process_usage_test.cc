#include "server/metrics/process_usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

// A proc file system with the given /proc/self/stat.
ProcessUsage UsageOf(const std::string& stat) {
  const TempDir proc;
  std::filesystem::create_directories(proc / "self/fd");
  std::ofstream(proc / "self/stat") << stat;
  return ReadProcessUsage(proc.path());
}

TEST(ProcessUsageTest, ReadsTheFieldsBehindTheName) {
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const ProcessUsage usage =
      UsageOf("7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 250 50 5 6 20 0 17 0 1000 4096000 300 184467");
  EXPECT_DOUBLE_EQ(usage.cpu_seconds, 300 / ticks);
  EXPECT_EQ(usage.threads, 17u);
  EXPECT_EQ(usage.virtual_bytes, 4096000u);
  EXPECT_EQ(usage.resident_bytes, 300u * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(ProcessUsageTest, WhatIsNotKnownIsZero) {
  for (const char* stat : {"", "7 (a", "7 (a) S", "7 (a) x y z"}) {
    const ProcessUsage usage = UsageOf(stat);
    EXPECT_EQ(usage.cpu_seconds, 0) << stat;
    EXPECT_EQ(usage.start_seconds, 0) << stat;
    EXPECT_EQ(usage.resident_bytes, 0u) << stat;
    EXPECT_EQ(usage.threads, 0u) << stat;
  }
}

TEST(ProcessUsageTest, FilesAreCountedIfTheKernelDoesNot) {
  // The size of this directory is 0, as that of /proc/self/fd is before Linux 6.2.
  const TempDir proc;
  std::filesystem::create_directory(proc / "self");
  EXPECT_EQ(ReadProcessUsage(proc.path()).open_files, 0u);
  std::filesystem::create_directory_symlink("/proc/self/fdinfo", proc / "self/fd");
  const uint64_t before = ReadProcessUsage(proc.path()).open_files;
  std::vector<int> opened;
  for (int i = 0; i < 10; ++i) opened.push_back(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(ReadProcessUsage(proc.path()).open_files, before + 10);
  for (const int fd : opened) ::close(fd);
}

TEST(ProcessUsageTest, ThisProcessIsPlausible) {
  const ProcessUsage before = ReadProcessUsage("/proc");
  EXPECT_GE(before.threads, 1u);
  EXPECT_GT(before.resident_bytes, 1u << 20);
  EXPECT_GT(before.virtual_bytes, before.resident_bytes);
  const auto now = static_cast<double>(::time(nullptr));
  EXPECT_GT(before.start_seconds, now - 86400);
  EXPECT_LE(before.start_seconds, now + 1);
  struct rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(before.max_files, limit.rlim_cur);
  std::vector<int> opened;
  for (int i = 0; i < 10; ++i) opened.push_back(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(ReadProcessUsage("/proc").open_files, before.open_files + 10);
  for (const int fd : opened) ::close(fd);
}

TEST(ProcessUsageTest, MetricsHaveTheStandardNames) {
  MetricFamilies families;
  AddProcess({.cpu_seconds = 1.5, .open_files = 3}, &families);
  std::vector<std::string> names;
  for (const auto& family : families) names.push_back(family.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "process_cpu_seconds_total", "process_start_time_seconds",
                       "process_resident_memory_bytes", "process_virtual_memory_bytes",
                       "process_threads", "process_open_fds", "process_max_fds"}));
  EXPECT_EQ(families[0].type, prometheus::MetricType::Counter);
  EXPECT_EQ(families[0].metric[0].counter.value, 1.5);
  EXPECT_EQ(families[5].metric[0].gauge.value, 3);
}

}  // namespace
}  // namespace stagedoor::server
