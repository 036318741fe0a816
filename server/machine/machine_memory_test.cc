#include "server/machine/machine_memory.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

class MachineMemoryTest : public ::testing::Test {
 protected:
  void Write(std::string_view file, std::string_view text) { root_.Write(file, text); }
  std::optional<uint64_t> Usable() { return UsableMemory(root_.path()); }

  const TempDir root_;
};

constexpr char kMemInfo[] = "MemTotal:       8192 kB\nMemFree:        1024 kB\n";

TEST_F(MachineMemoryTest, IsThatOfTheMachineWithoutALimit) {
  Write("proc/meminfo", kMemInfo);
  EXPECT_EQ(Usable(), 8192u << 10);
  Write("proc/self/cgroup", "0::/user.slice\n");
  Write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(Usable(), 8192u << 10);
}

TEST_F(MachineMemoryTest, TheSmallestLimitOfEnclosingGroupsApplies) {
  Write("proc/meminfo", kMemInfo);
  Write("proc/self/cgroup", "0::/farm.slice/render.service\n");
  Write("sys/fs/cgroup/farm.slice/render.service/memory.max", "max\n");
  Write("sys/fs/cgroup/farm.slice/memory.max", "4194304\n");
  EXPECT_EQ(Usable(), 4u << 20);
  Write("sys/fs/cgroup/farm.slice/render.service/memory.max", "2097152\n");
  EXPECT_EQ(Usable(), 2u << 20);
}

TEST_F(MachineMemoryTest, AContainerSeesItsGroupAsTheRoot) {
  Write("proc/meminfo", kMemInfo);
  Write("proc/self/cgroup", "0::/../../docker/abc\n");
  Write("sys/fs/cgroup/memory.max", "1048576\n");
  EXPECT_EQ(Usable(), 1u << 20);
}

TEST_F(MachineMemoryTest, ReadsControlGroupsOfVersionOne) {
  Write("proc/meminfo", kMemInfo);
  Write("proc/self/cgroup", "5:cpu,cpuacct:/a\n3:memory:/a/b\n");
  Write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3145728\n");
  EXPECT_EQ(Usable(), 3u << 20);
}

TEST_F(MachineMemoryTest, IsUnknownWithoutProc) {
  EXPECT_EQ(Usable(), std::nullopt);
  Write("proc/meminfo", "nothing\n");
  Write("proc/self/cgroup", "nonsense\n:\n");
  EXPECT_EQ(Usable(), std::nullopt);
}

TEST(DefaultClipCacheBytesTest, IsAQuarterOfTheMemory) {
  EXPECT_EQ(DefaultClipCacheBytes(uint64_t{16} << 30), uint64_t{4} << 30);
  EXPECT_EQ(DefaultClipCacheBytes(uint64_t{1} << 20), uint64_t{64} << 20);
  EXPECT_EQ(DefaultClipCacheBytes(std::nullopt), uint64_t{2} << 30);
  EXPECT_GT(UsableMemory().value_or(0), 0u) << "of this machine";
}

TEST(DefaultExpansionBytesTest, IsAnEighthOfTheMemory) {
  EXPECT_EQ(DefaultExpansionBytes(uint64_t{8} << 30), uint64_t{1} << 30);
  EXPECT_EQ(DefaultExpansionBytes(uint64_t{1} << 20), uint64_t{64} << 20);
  EXPECT_EQ(DefaultExpansionBytes(std::nullopt), uint64_t{1} << 30);
}

TEST(DefaultCacheBytesTest, AreSharesOfTheMemory) {
  EXPECT_EQ(DefaultLayerCacheBytes(uint64_t{16} << 30), uint64_t{2} << 30);
  EXPECT_EQ(DefaultLayerCacheBytes(uint64_t{1} << 20), uint64_t{64} << 20);
  EXPECT_EQ(DefaultLayerCacheBytes(std::nullopt), uint64_t{2} << 30);
  EXPECT_EQ(DefaultStageCacheBytes(uint64_t{16} << 30), uint64_t{4} << 30);
  EXPECT_EQ(DefaultStageCacheBytes(uint64_t{1} << 20), uint64_t{64} << 20);
  EXPECT_EQ(DefaultStageCacheBytes(std::nullopt), uint64_t{4} << 30);
}

TEST(DefaultBudgetsTest, AddUpToTheMemory) {
  for (const uint64_t memory : {uint64_t{512} << 20, uint64_t{24} << 30}) {
    EXPECT_EQ(DefaultClipCacheBytes(memory) + DefaultLayerCacheBytes(memory) +
                  DefaultStageCacheBytes(memory) + DefaultCallsBytes(memory) +
                  DefaultExpansionBytes(memory),
              memory);
  }
}

TEST_F(MachineMemoryTest, IsAtMostTheAddressSpaceLimit) {
  const auto limit = [&](const std::string& soft) {
    Write("proc/self/limits",
          "Limit                     Soft Limit           Hard Limit           Units     \n"
          "Max processes             4096                 4096                 processes \n"
          "Max address space         " +
              soft + "              unlimited            bytes     \n");
  };
  Write("proc/meminfo", kMemInfo);
  limit("2097152");
  EXPECT_EQ(Usable(), 2u << 20);
  limit("unlimited");
  EXPECT_EQ(Usable(), 8192u << 10);
}

TEST(RequestMemoryLimitTest, LeavesMemoryForOtherWork) {
  const auto gib = uint64_t{1} << 30, mib = uint64_t{1} << 20;
  EXPECT_EQ(RequestMemoryLimit(32 * gib), 28 * gib);
  EXPECT_EQ(RequestMemoryLimit(512 * mib), 384 * mib);
  EXPECT_EQ(RequestMemoryLimit(100 * mib), 50 * mib);
  EXPECT_EQ(RequestMemoryLimit(0), 0u);
}

TEST_F(MachineMemoryTest, FindsTheMemoryControllerAmongOthers) {
  for (const char* controllers : {"memory", "cpu,memory", "memory,cpu", "cpu,memory,pids"}) {
    Write("proc/meminfo", kMemInfo);
    Write("proc/self/cgroup", std::string("3:") + controllers + ":/a\n");
    Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3145728\n");
    EXPECT_EQ(Usable(), 3u << 20) << controllers;
  }
  for (const char* controllers : {"cpu", "memory2", "mem", "cpu,", ","}) {
    Write("proc/self/cgroup", std::string("3:") + controllers + ":/a\n");
    EXPECT_EQ(Usable(), 8192u << 10) << controllers;
  }
}

TEST_F(MachineMemoryTest, SkipsMalformedLines) {
  Write("proc/meminfo", "MemFree:        1024 kB\nMemTotal:       8192 kB\n");
  Write("proc/self/cgroup", "nonsense\n1:only\n0::/a/\n");
  Write("sys/fs/cgroup/a/memory.max", "2097152\n");
  EXPECT_EQ(Usable(), 2u << 20);
  Write("sys/fs/cgroup/a/memory.max", "99999999999\n");
  EXPECT_EQ(Usable(), 8192u << 10) << "a limit above the machine's memory has no effect";
}

TEST_F(MachineMemoryTest, ALimitAppliesIfTheMachinesMemoryIsUnknown) {
  Write("proc/self/cgroup", "0::/a\n");
  Write("sys/fs/cgroup/a/memory.max", "2097152\n");
  EXPECT_EQ(Usable(), 2u << 20);
}

TEST(DefaultCallsBytesTest, IsAQuarterOfTheMemory) {
  EXPECT_EQ(DefaultCallsBytes(uint64_t{16} << 30), uint64_t{4} << 30);
  EXPECT_EQ(DefaultCallsBytes(uint64_t{512} << 20), uint64_t{128} << 20);
  EXPECT_EQ(DefaultCallsBytes(uint64_t{1} << 20), uint64_t{64} << 20);
  EXPECT_EQ(DefaultCallsBytes(std::nullopt), uint64_t{1} << 30);
}

}  // namespace
}  // namespace stagedoor::server
