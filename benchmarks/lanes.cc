#include "benchmarks/lanes.h"

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "benchmarks/machine.h"
#include "benchmarks/require.h"

namespace stagedoor::bench {
namespace {

// Busy-waits at the end, since sleeping threads wake up late.
constexpr double kSpin = 0.002;

void WaitUntil(double at) {
  const double sleep = at - Now() - kSpin;
  if (sleep > 0) std::this_thread::sleep_for(std::chrono::duration<double>(sleep));
  while (Now() < at) {
  }
}

// Works from `at` for `seconds`; returns the amount per second.
double RateFrom(double at, double seconds, const std::function<double()>& work) {
  WaitUntil(at);
  double amount = 0;
  do {
    amount += work();
  } while (Now() < at + seconds);
  return amount / (Now() - at);
}

double RateOfHalves(double at, double seconds, const SpreadWork& work, ThreadPair& threads) {
  std::array<double, 2> rates{};
  threads.Run(
      [&](int half) { rates[half] = RateFrom(at, seconds, [&] { return work.half(half); }); });
  return rates[0] + rates[1];
}

double RateOf(Lane lane, double at, double seconds, const SpreadWork& work, ThreadPair& threads) {
  if (lane != Lane::kBoth) {
    const int half = lane == Lane::kSecond;
    return RateFrom(at, seconds, [&] { return work.half(half); });
  }
  return work.all ? RateFrom(at, seconds, work.all) : RateOfHalves(at, seconds, work, threads);
}

}  // namespace

Lane ParseLane(std::string_view word) {
  if (word == "1") return Lane::kFirst;
  if (word == "2") return Lane::kSecond;
  Require(word == "both", "--lane takes 1, 2 or both");
  return Lane::kBoth;
}

void ServeLane(Lane lane, std::string_view name, std::string_view unit, const SpreadWork& work,
               ThreadPair& threads, std::istream& in, std::ostream& out) {
  out << nlohmann::json({{"ready", name}, {"unit", unit}}).dump() << std::endl;
  std::string line;
  while (std::getline(in, line) && line != "next") {
    std::istringstream words(line);
    std::string go;
    double at = 0, seconds = 0;
    Require(words >> go >> at >> seconds && go == "go", "unknown order " + line);
    out << nlohmann::json({{"rate", RateOf(lane, at, seconds, work, threads)}}).dump() << std::endl;
  }
}

}  // namespace stagedoor::bench
