#include "benchmarks/lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "benchmarks/machine.h"

namespace stagedoor::bench {
namespace {

class LanesTest : public ::testing::Test {
 protected:
  // The replies to orders. Counts the pieces of work done.
  std::string Answers(Lane lane, const std::string& orders, bool spreads = true) {
    SpreadWork work{.half = [this](int half) {
      ++halves_[half];
      return 1.0;
    }};
    if (spreads) {
      work.all = [this] {
        ++all_;
        return 1.0;
      };
    }
    std::istringstream in(orders);
    std::ostringstream out;
    ServeLane(lane, "name", "1/s", work, threads_, in, out);
    rest_ = std::string(std::istreambuf_iterator<char>(in), {});
    return out.str();
  }

  // A time in the near future, in the precision of an order.
  static double Soon() { return std::stod(std::to_string(Now() + 0.01)); }

  ThreadPair threads_;
  std::array<std::atomic<int>, 2> halves_{};
  std::atomic<int> all_{0};
  std::string rest_;
};

constexpr char kReady[] = "{\"ready\":\"name\",\"unit\":\"1/s\"}\n";

TEST_F(LanesTest, DoesNothingWithoutOrders) {
  EXPECT_EQ(Answers(Lane::kBoth, "next\n"), kReady);
  EXPECT_EQ(Answers(Lane::kBoth, ""), kReady);
  EXPECT_EQ(halves_[0] + halves_[1] + all_, 0);
}

TEST_F(LanesTest, LeavesOrdersForTheNextMetric) {
  Answers(Lane::kFirst, "next\ngo 0 0\n");
  EXPECT_EQ(rest_, "go 0 0\n");
}

TEST_F(LanesTest, AProcessOfOneThreadDoesItsHalf) {
  Answers(Lane::kFirst, "go 0 0\n");
  EXPECT_EQ(halves_[0], 1);
  Answers(Lane::kSecond, "go 0 0\n");
  EXPECT_EQ(halves_[1], 1);
  EXPECT_EQ(all_, 0);
}

TEST_F(LanesTest, TwoThreadsDoAllWorkThatTheEngineSpreads) {
  Answers(Lane::kBoth, "go 0 0\n");
  EXPECT_EQ(all_, 1);
  EXPECT_EQ(halves_[0] + halves_[1], 0);
}

TEST_F(LanesTest, TwoThreadsDoAHalfEachOfOtherWork) {
  Answers(Lane::kBoth, "go 0 0\n", false);
  EXPECT_EQ(halves_[0], 1);
  EXPECT_EQ(halves_[1], 1);
}

TEST_F(LanesTest, WorkBeginsAtTheOrderedTime) {
  const double at = Soon();
  Answers(Lane::kFirst, "go " + std::to_string(at) + " 0\n");
  EXPECT_GE(Now(), at);
}

TEST_F(LanesTest, ARateIsTheAmountPerSecond) {
  const double at = Soon();
  const std::string answers = Answers(Lane::kFirst, "go " + std::to_string(at) + " 0.05\n");
  const double spent = Now() - at;
  const double rate = nlohmann::json::parse(answers.substr(sizeof(kReady) - 1))["rate"];
  EXPECT_GE(spent, 0.05);
  EXPECT_GE(rate * spent, halves_[0]);  // it was measured before `spent` was
  EXPECT_LE(rate * 0.0499, halves_[0]);
}

}  // namespace
}  // namespace stagedoor::bench
