#include "resolver/http/http_engine.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace stagedoor {
namespace {

double RandomFraction() {
  thread_local std::minstd_rand engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

}  // namespace

HttpRetryPolicy::Duration HttpRetryPolicy::Delay(int failures,
                                                 std::optional<Duration> retry_after) const {
  const double full = std::min(static_cast<double>(longest_delay.count()),
                               std::ldexp(static_cast<double>(first_delay.count()), failures - 1));
  const double fraction = random ? random() : RandomFraction();
  Duration delay(static_cast<Duration::rep>(full * fraction));
  if (retry_after) delay = std::max(delay, std::min(*retry_after, longest_retry_after));
  return delay;
}

}  // namespace stagedoor
