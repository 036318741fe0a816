#include "server/machine/machine_cores.h"

#include <gtest/gtest.h>

#include <string_view>
#include <thread>

#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

class MachineCoresTest : public ::testing::Test {
 protected:
  void Write(std::string_view file, std::string_view text) { root_.Write(file, text); }
  int Usable(int cores) { return UsableCores(cores, root_.path()); }

  const TempDir root_;
};

TEST_F(MachineCoresTest, AreThoseOfTheMachineWithoutAQuota) {
  EXPECT_EQ(Usable(64), 64);
  Write("proc/self/cgroup", "0::/user.slice\n");
  Write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(Usable(64), 64);
  Write("sys/fs/cgroup/user.slice/cpu.max", "nonsense\n");
  EXPECT_EQ(Usable(64), 64);
  for (const std::string_view text : {"100000 0\n", "100000\n", "0 100000\n"}) {
    Write("sys/fs/cgroup/user.slice/cpu.max", text);
    EXPECT_EQ(Usable(64), 64) << text;
  }
  EXPECT_EQ(Usable(0), 1) << "unknown";
}

TEST_F(MachineCoresTest, TheSmallestQuotaOfEnclosingGroupsApplies) {
  Write("proc/self/cgroup", "0::/farm.slice/stagedoord.service\n");
  Write("sys/fs/cgroup/farm.slice/cpu.max", "400000 100000\n");
  EXPECT_EQ(Usable(64), 4);
  EXPECT_EQ(Usable(2), 2) << "fewer than the quota";
  Write("sys/fs/cgroup/farm.slice/stagedoord.service/cpu.max", "150000 100000\n");
  EXPECT_EQ(Usable(64), 2) << "rounded up";
  Write("sys/fs/cgroup/farm.slice/stagedoord.service/cpu.max", "10000 100000\n");
  EXPECT_EQ(Usable(64), 1);
}

TEST_F(MachineCoresTest, ReadsControlGroupsOfVersionOne) {
  Write("proc/self/cgroup", "5:cpu,cpuacct:/a\n3:memory:/a/b\n");
  Write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
  Write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Usable(64), 3);
  Write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(Usable(64), 64);
}

TEST(UsableCoresTest, ThisMachineHasSome) {
  EXPECT_GE(UsableCores(), 1);
  EXPECT_LE(UsableCores(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace stagedoor::server
