#include "server/memory/memory_pressure.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor::server {
namespace {

// Memory of which a part is in two caches that can be emptied.
class MemoryPressureTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kMiB = uint64_t{1} << 20;

  MemoryPressure::Options Options() {
    MemoryPressure::Options options;
    options.limits = {800 * kMiB, 1000 * kMiB};
    options.steps = {{"layers", [this] { Empty('l', &layers_); }},
                     {"stages", [this] { Empty('s', &stages_); }}};
    options.used = [this] { return fixed_ + layers_ + stages_ + freed_; };
    options.return_to_system = [this] { freed_ = 0; };
    options.now = [this] { return now_; };
    return options;
  }
  void Empty(char name, uint64_t* cache) {
    log_ += name;
    freed_ += std::exchange(*cache, 0);
  }
  MemoryLevel LevelAt(uint64_t mebibytes) {
    fixed_ = mebibytes * kMiB;
    pressure_.Check();
    return pressure_.level();
  }

  uint64_t fixed_ = 500 * kMiB;
  uint64_t layers_ = 0;
  uint64_t stages_ = 0;
  uint64_t freed_ = 0;  // by a step, but not returned to the system
  std::string log_;     // the steps that were taken
  MemoryPressure::Clock::time_point now_{std::chrono::seconds(1000)};
  MemoryPressure pressure_{Options()};
};

TEST_F(MemoryPressureTest, CachesAreKeptBelowTheSoftLimit) {
  layers_ = 300 * kMiB;
  pressure_.Check();
  EXPECT_EQ(log_, "");
  EXPECT_EQ(pressure_.level(), MemoryLevel::kNormal);
}

TEST_F(MemoryPressureTest, CachesAreEmptiedInOrderUntilItSuffices) {
  layers_ = 200 * kMiB;
  stages_ = 200 * kMiB;
  pressure_.Check();
  EXPECT_EQ(log_, "l");
  EXPECT_EQ(stages_, 200 * kMiB);
  EXPECT_EQ(pressure_.level(), MemoryLevel::kNormal);
  fixed_ = 700 * kMiB;
  pressure_.Check();
  EXPECT_EQ(log_, "lls");
  EXPECT_EQ(pressure_.level(), MemoryLevel::kNormal) << "nothing was refused meanwhile";
  EXPECT_EQ(pressure_.releases(0), 2u);
  EXPECT_EQ(pressure_.releases(1), 1u);
  EXPECT_EQ(pressure_.step_name(1), "stages");
}

TEST_F(MemoryPressureTest, TheLevelRisesIfCachesDoNotSuffice) {
  EXPECT_EQ(LevelAt(800), MemoryLevel::kNormal);
  EXPECT_EQ(LevelAt(801), MemoryLevel::kHigh);
  EXPECT_EQ(LevelAt(900), MemoryLevel::kHigh);
  EXPECT_EQ(LevelAt(901), MemoryLevel::kCritical);
}

TEST_F(MemoryPressureTest, TheLevelFallsWithAMargin) {
  EXPECT_EQ(LevelAt(901), MemoryLevel::kCritical);
  EXPECT_EQ(LevelAt(850), MemoryLevel::kCritical);
  EXPECT_EQ(LevelAt(840), MemoryLevel::kHigh);
  EXPECT_EQ(LevelAt(760), MemoryLevel::kHigh);
  EXPECT_EQ(LevelAt(750), MemoryLevel::kNormal);
}

TEST_F(MemoryPressureTest, RestsAfterStepsThatFreedNothing) {
  fixed_ = 850 * kMiB;
  pressure_.Check();
  EXPECT_EQ(log_, "ls");
  pressure_.Check();
  EXPECT_EQ(log_, "ls");
  now_ += MemoryPressure::kRest;
  layers_ = 10 * kMiB;
  pressure_.Check();
  EXPECT_EQ(log_, "lsls");
  layers_ = 10 * kMiB;
  pressure_.Check();
  EXPECT_EQ(log_, "lslsls") << "the steps before were worth it";
}

TEST_F(MemoryPressureTest, AnAllocationThatWaitsIsReasonEnough) {
  layers_ = 200 * kMiB;
  pressure_.Check(/*wanted=*/true);
  EXPECT_EQ(log_, "l");
  fixed_ = 850 * kMiB;
  for (int i = 0; i < 2; ++i) pressure_.Check(/*wanted=*/true);
  EXPECT_EQ(log_, "llsls") << "without a rest";
}

TEST(MemoryPressureLimitsTest, TheSoftLimitIsAnEighthBelowTheHardOne) {
  const MemoryPressure::Limits limits = MemoryPressureLimits(800);
  EXPECT_EQ(limits.soft_bytes, 700u);
  EXPECT_EQ(limits.hard_bytes, 800u);
}

}  // namespace
}  // namespace stagedoor::server
